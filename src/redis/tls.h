/*
 * TLS on a connected socket, for addresses rediss:// or with tls=1.
 *
 * hiredis' own TLS, in a library of its own from 1.0 on, does not compare the name in a certificate
 * with the server's. So OpenSSL is used here directly, which does, with any hiredis. The server's
 * certificate is verified for the host of the address or, if it has been issued for another name,
 * for the address's `sni`; unless the address has verify=0. The oldest version spoken is TLS 1.2,
 * or what the system's configuration of OpenSSL demands beyond that.
 *
 *   rl_tls_begin()
 *   rl_tls_shake_hands()     for as long as it is RL_NO
 *   ...                      the transport sends and receives
 *
 * A build without OpenSSL (RLOCK_TLS is not defined) has these functions, too; only
 * rl_tls_supported(), rl_tls_start() and rl_tls_context_free() may be called there.
 */
#ifndef RL_TLS_H
#define RL_TLS_H

#include "../base/error.h"
#include "transport.h"

struct rl_address;
struct rl_tls_context;
struct rl_tls;

bool rl_tls_supported(void);

/*
 * OpenSSL reads its configuration once per process, which may make it load code: where programs
 * follow one another, this is called before the first, so that none of them says which. Otherwise
 * it reads it at the first connection. False: it refused.
 */
bool rl_tls_start(void);

/*
 * What the connections to one address have in common: which authorities to trust, and which
 * certificate to show. Its files are read when the first connection is made, and again after one
 * that was refused, since they may have been replaced. The context must outlive its connections.
 * NULL: out of memory.
 */
struct rl_tls_context *rl_tls_context_new(void);
void rl_tls_context_free(struct rl_tls_context *context);

/*
 * Prepares the client's side of TLS on a connected, non-blocking socket, which stays the caller's.
 * RL_OK, RL_UNREACHABLE if its files are bad, or RL_NO_MEMORY.
 */
enum rl_status rl_tls_begin(
	const struct rl_address *address, int fd, struct rl_tls **out, struct rl_error *error);
/* The transport that it is, which its owner frees: needed also if the handshake fails. */
struct rl_transport *rl_tls_transport(struct rl_tls *tls);
/*
 * Goes on with the handshake as far as that can be done without waiting. RL_OK: it is done; RL_NO:
 * it is under way, and the transport's wants_write() tells what to poll for; RL_UNREACHABLE.
 */
enum rl_status rl_tls_shake_hands(
	struct rl_tls *tls, const struct rl_address *address, struct rl_error *error);
/*
 * The connection has failed before it was of use. True: perhaps because of files that have been
 * replaced since they were read. They are read anew for the next one, which is worth a try.
 */
bool rl_tls_reread(struct rl_tls *tls, const struct rl_address *address);
/* Where the handshake is: another number after each message of the peer's. */
int rl_tls_stage(const struct rl_tls *tls);
/* The handshake was not done in time: RL_UNREACHABLE. */
enum rl_status rl_tls_too_late(const struct rl_address *address, struct rl_error *error);

#endif
