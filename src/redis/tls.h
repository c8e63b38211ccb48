/*
 * TLS on a connected socket, for addresses that begin with rediss://.
 *
 * hiredis has a TLS of its own, from 1.0 on and in a library of its own, which does not compare
 * the name in a certificate with that of the server; here OpenSSL does that, with any hiredis.
 * The server's certificate is verified, for the host of the address or, where that is not what
 * the certificate says, for its `sni`; unless the address has verify=0. At least TLS 1.2, or what
 * the system's configuration of OpenSSL demands beyond that.
 *
 * A build without OpenSSL (RLOCK_TLS is not defined) has these functions, too; only
 * rl_tls_supported() may be called there.
 */
#ifndef RL_TLS_H
#define RL_TLS_H

#include "../base/error.h"

struct rl_address;
struct rl_tls_context;
struct rl_tls;

/* A receive that has room for so much leaves nothing in OpenSSL that poll would not tell of: a record. */
#define RL_TLS_RECORD (16 * 1024)

bool rl_tls_supported(void);

/*
 * What the connections to one address have in common: whom to trust, and which certificate to
 * show. Its files are read when the first connection is made; those that the address names, again
 * after a handshake that failed: they may have been replaced. It outlives its connections. NULL: out of memory.
 */
struct rl_tls_context *rl_tls_context_new(void);
void rl_tls_context_free(struct rl_tls_context *context);

/* On a connected, non-blocking socket, which stays the caller's. RL_OK, RL_UNREACHABLE if its files are bad, RL_NO_MEMORY. */
enum rl_status rl_tls_begin(const struct rl_address *address, int fd, struct rl_tls **out, struct rl_error *error);
/* Without waiting. RL_OK: it is done; RL_NO: it is under way, rl_tls_wants_write() tells what to poll for; RL_UNREACHABLE. */
enum rl_status rl_tls_shake_hands(struct rl_tls *tls, const struct rl_address *address, struct rl_error *error);
/* The handshake was not done in time: RL_UNREACHABLE. */
enum rl_status rl_tls_too_late(const struct rl_address *address, struct rl_error *error);
/* Sends nothing, so that a forked child can forget its parent's; the socket stays open. NULL is fine. */
void rl_tls_close(struct rl_tls *tls);

/*
 * As rl_socket_send() and rl_socket_receive(). After RL_SOCKET_NOT_NOW, rl_tls_wants_write()
 * tells what to poll for: it may be the other way than that of the call.
 */
int rl_tls_send(struct rl_tls *tls, const char *bytes, size_t length, size_t *sent);
int rl_tls_receive(struct rl_tls *tls, char *buffer, size_t size, size_t *received);
bool rl_tls_wants_write(const struct rl_tls *tls);
/* Room for RL_TLS_RECORD bytes to receive into, which nothing else uses. */
char *rl_tls_record(struct rl_tls *tls);
/* What the failure of one of these two means. Returns `buffer`. */
const char *rl_tls_text(const struct rl_tls *tls, int failure, char *buffer, size_t size);

#endif
