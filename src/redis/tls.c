/*
 * OpenSSL reads and writes through a BIO of ours, so that its bytes take the same way as all
 * others, and what the socket says is known here and not lost among OpenSSL's errors.
 */
#include "tls.h"
#include "address.h"
#include "../base/socket.h"

#include <stdlib.h>

#ifdef RLOCK_TLS

# include <openssl/err.h>
# include <openssl/ssl.h>
# include <openssl/x509v3.h>
# include <stdio.h>
# include <string.h>

/*
 * Room for a whole record, so that OpenSSL keeps no decrypted bytes of which poll() would not tell.
 */
# define RECORD (16 * 1024)

/* Not one of the system's: what went wrong is in `reason`. */
# define TLS_FAILED -1

# define NO_TLS_THERE \
  "; does the server speak TLS on this port, or is redis:// (for several: no tls=1) meant?"

/* Longer than any host that an address can have. */
# define NAME_SIZE 256

struct rl_tls_context {
	SSL_CTX *ssl; /* or NULL: its files are to be read */
	BIO_METHOD *bio;
	bool has_spoken; /* the server has, TLS */
};

struct rl_tls {
	struct rl_transport transport;
	SSL *ssl;
	bool is_fresh; /* the files were read for it */
	bool wants_write, ended;
	int failure;          /* the socket's, or 0 */
	unsigned long reason; /* OpenSSL's, or 0 */
	char record[RECORD];
};

bool rl_tls_supported(void)
{
	return true;
}

bool rl_tls_start(void)
{
	return OPENSSL_init_ssl(0, NULL) == 1;
}

/* --- the socket, as OpenSSL sees it --- */

static int bio_result(BIO *bio, struct rl_tls *tls, int failure, size_t moved, int again)
{
	BIO_clear_retry_flags(bio);
	if (failure == RL_SOCKET_NOT_NOW) {
		BIO_set_flags(bio, again | BIO_FLAGS_SHOULD_RETRY);
		return -1;
	}
	if (failure) {
		tls->failure = failure;
		return -1;
	}
	return (int)moved;
}

static int bio_write(BIO *bio, const char *bytes, int length)
{
	struct rl_tls *tls = BIO_get_data(bio);
	size_t sent = 0;
	int failure = rl_socket_send(tls->transport.fd, bytes, (size_t)length, &sent);

	return bio_result(bio, tls, failure, sent, BIO_FLAGS_WRITE);
}

static int bio_read(BIO *bio, char *buffer, int size)
{
	struct rl_tls *tls = BIO_get_data(bio);
	size_t received = 0;
	int failure = rl_socket_receive(tls->transport.fd, buffer, (size_t)size, &received);

	tls->ended = tls->ended || (!failure && received == 0);
	return bio_result(bio, tls, failure, received, BIO_FLAGS_READ);
}

static long bio_control(BIO *bio, int command, long number, void *pointer)
{
	if (command == BIO_CTRL_EOF) {
		return ((struct rl_tls *)BIO_get_data(bio))->ended;
	}
	return command == BIO_CTRL_FLUSH; /* nothing is kept back */
}

static BIO_METHOD *make_bio_method(void)
{
	BIO_METHOD *method = BIO_meth_new(BIO_TYPE_SOURCE_SINK, "rlock");

	if (method
		&& !(BIO_meth_set_write(method, bio_write) && BIO_meth_set_read(method, bio_read)
			&& BIO_meth_set_ctrl(method, bio_control))) {
		BIO_meth_free(method);
		return NULL;
	}
	return method;
}

/* --- what connections have in common --- */

/* Without it OpenSSL would ask for one on the terminal. */
static int no_passphrase(char *buffer, int size, int writing, void *asked)
{
	*(bool *)asked = true;
	return -1;
}

/* What one of OpenSSL's errors means. Returns `buffer`. */
static const char *reason_text(unsigned long code, char *buffer, size_t size)
{
	const char *reason = code ? ERR_reason_error_string(code) : NULL;

	if (code && ERR_GET_LIB(code) == ERR_LIB_SYS) {
		return rl_socket_text(ERR_GET_REASON(code), buffer, size);
	}
	snprintf(buffer, size, "%s", reason ? reason : "OpenSSL does not say why");
	return buffer;
}

static enum rl_status unusable(const struct rl_address *address, const char *option,
	const char *file, const char *reason, struct rl_error *error)
{
	return rl_fail(error, RL_UNREACHABLE, "Cannot connect to Redis at %s: %s=%s cannot be used: %s",
		address->name, option, file, reason);
}

static enum rl_status unreadable(
	const struct rl_address *address, const char *option, const char *file, struct rl_error *error)
{
	char reason[128];

	return unusable(
		address, option, file, reason_text(ERR_peek_error(), reason, sizeof reason), error);
}

static int load_authorities(SSL_CTX *ssl, const char *path)
{
	return SSL_CTX_load_verify_locations(ssl, path, NULL);
}

/* A file without a secret, by the function that reads it: 1 is success. */
static enum rl_status read_file(const struct rl_address *address, SSL_CTX *ssl, const char *option,
	const char *file, int (*read)(SSL_CTX *ssl, const char *path), struct rl_error *error)
{
	struct rl_pin pin;
	bool allowed = rl_pin_begin(&pin, address->bounds, file);
	bool done = allowed && read(ssl, pin.path) == 1;

	rl_pin_end(&pin);
	if (!allowed) {
		return unusable(address, option, file, RL_OUT_OF_BOUNDS, error);
	}
	return done ? RL_OK : unreadable(address, option, file, error);
}

static enum rl_status read_key(
	const struct rl_address *address, SSL_CTX *ssl, struct rl_error *error)
{
	const char *option = address->key ? "key" : "cert";
	const char *file = address->key ? address->key : address->cert;
	bool asked = false, read = false, allowed;
	struct rl_pin pin;
	unsigned long code;

	SSL_CTX_set_default_passwd_cb(ssl, no_passphrase);
	SSL_CTX_set_default_passwd_cb_userdata(ssl, &asked);
	allowed = rl_pin_begin(&pin, address->bounds, file);
	if (allowed) {
		read = SSL_CTX_use_PrivateKey_file(ssl, pin.path, SSL_FILETYPE_PEM) == 1;
	}
	rl_pin_end(&pin);
	SSL_CTX_set_default_passwd_cb_userdata(ssl, NULL);
	if (read) {
		return RL_OK;
	}
	if (!allowed) {
		return unusable(address, option, file, RL_OUT_OF_BOUNDS, error);
	}
	if (asked) {
		return unusable(address, option, file, "its key is protected by a passphrase", error);
	}
	code = ERR_peek_error();
	if (ERR_GET_LIB(code) == ERR_LIB_SYS) {
		return unreadable(address, option, file, error);
	}
	return unusable(address, option, file,
		ERR_GET_LIB(code) == ERR_LIB_X509 ? "its key is not that of the certificate"
										  : "it has no private key",
		error);
}

static enum rl_status configure(
	const struct rl_address *address, SSL_CTX *ssl, struct rl_error *error)
{
	enum rl_status status = RL_OK;

	SSL_CTX_set_options(ssl, SSL_OP_NO_RENEGOTIATION);
	/* A command that is queued meanwhile moves, and only ever lengthens, what is yet to be sent. */
	SSL_CTX_set_mode(ssl, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
	if (SSL_CTX_get_min_proto_version(ssl) < TLS1_2_VERSION) {
		SSL_CTX_set_min_proto_version(ssl, TLS1_2_VERSION);
	}
	if (!address->cafile && address->verify && SSL_CTX_set_default_verify_paths(ssl) != 1) {
		return rl_fail_for_memory(error);
	}
	if (address->cafile) {
		status = read_file(address, ssl, "cafile", address->cafile, load_authorities, error);
	}
	if (status == RL_OK && address->cert) {
		status = read_file(
			address, ssl, "cert", address->cert, SSL_CTX_use_certificate_chain_file, error);
	}
	return status == RL_OK && address->cert ? read_key(address, ssl, error) : status;
}

static enum rl_status make_context(
	const struct rl_address *address, SSL_CTX **out, struct rl_error *error)
{
	SSL_CTX *ssl;
	enum rl_status status;

	ERR_clear_error();
	ssl = SSL_CTX_new(TLS_client_method());
	status = ssl ? configure(address, ssl, error) : rl_fail_for_memory(error);
	ERR_clear_error();
	if (status != RL_OK) {
		SSL_CTX_free(ssl);
		return status;
	}
	*out = ssl;
	return RL_OK;
}

struct rl_tls_context *rl_tls_context_new(void)
{
	struct rl_tls_context *context = calloc(1, sizeof *context);

	if (context) {
		context->bio = make_bio_method();
		if (!context->bio) {
			free(context);
			return NULL;
		}
	}
	return context;
}

/* Connections that there are keep it alive among themselves. */
static void forget_files(struct rl_tls_context *context)
{
	SSL_CTX_free(context->ssl);
	context->ssl = NULL;
}

void rl_tls_context_free(struct rl_tls_context *context)
{
	if (context) {
		forget_files(context);
		BIO_meth_free(context->bio);
		free(context);
	}
}

/* --- a connection --- */

/*
 * SSL_get_error() looks into the thread's queue of errors, where those of other modules may be,
 * too.
 */
static void start(struct rl_tls *tls)
{
	ERR_clear_error();
	tls->wants_write = false;
	tls->failure = 0;
}

/* What came of a call, whose result was not good. */
static int outcome(struct rl_tls *tls, int result)
{
	int kind = SSL_get_error(tls->ssl, result);

	tls->wants_write = kind == SSL_ERROR_WANT_WRITE;
	if (kind == SSL_ERROR_WANT_READ || kind == SSL_ERROR_WANT_WRITE) {
		return RL_SOCKET_NOT_NOW;
	}
	tls->reason = tls->failure || tls->ended ? 0 : ERR_peek_error();
	tls->ended = tls->ended || kind == SSL_ERROR_ZERO_RETURN;
	ERR_clear_error(); /* the next one to look may be of another module */
	return tls->failure ? tls->failure : TLS_FAILED;
}

static int send_encrypted(
	struct rl_transport *transport, const char *bytes, size_t length, size_t *sent)
{
	struct rl_tls *tls = (struct rl_tls *)transport;

	start(tls);
	return SSL_write_ex(tls->ssl, bytes, length, sent) == 1 ? 0 : outcome(tls, 0);
}

static int receive(struct rl_transport *transport, char *buffer, size_t size, size_t *received)
{
	struct rl_tls *tls = (struct rl_tls *)transport;
	int failure;

	start(tls);
	if (SSL_read_ex(tls->ssl, buffer, size, received) == 1) {
		return 0;
	}
	failure = outcome(tls, 0);
	*received = 0;
	return tls->ended ? 0 : failure;
}

/* It may be the other way than that of the call. */
static bool wants_write(const struct rl_transport *transport, bool sending)
{
	return ((const struct rl_tls *)transport)->wants_write;
}

/* What to do about it, where that can be known. */
static const char *advice_on_reason(int reason)
{
	switch (reason) {
		case SSL_R_WRONG_VERSION_NUMBER:
		case SSL_R_PACKET_LENGTH_TOO_LONG:
		case SSL_R_RECORD_LENGTH_MISMATCH:
			return NO_TLS_THERE;
		case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED:
		case SSL_R_TLSV1_ALERT_UNKNOWN_CA:
		case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:
		case SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED:
		case SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE:
			return "; does the server ask for a client certificate that it knows? cert= and key= name it";
		default:
			return "";
	}
}

static const char *text(
	const struct rl_transport *transport, int failure, char *buffer, size_t size)
{
	const struct rl_tls *tls = (const struct rl_tls *)transport;
	char reason[128];

	if (failure != TLS_FAILED) {
		return rl_socket_text(failure, buffer, size);
	}
	if (tls->ended) {
		snprintf(buffer, size, "the server closed the connection");
	} else {
		snprintf(buffer, size, "TLS: %s%s", reason_text(tls->reason, reason, sizeof reason),
			advice_on_reason(ERR_GET_REASON(tls->reason)));
	}
	return buffer;
}

static const char *advice_on_certificate(long verdict)
{
	switch (verdict) {
		case X509_V_ERR_HOSTNAME_MISMATCH:
		case X509_V_ERR_IP_ADDRESS_MISMATCH:
			return "; connect by a name that its subjectAltName has, or say which one with sni=";
		case X509_V_ERR_CERT_HAS_EXPIRED:
		case X509_V_ERR_CERT_NOT_YET_VALID:
			return "; renew it, or set the clock of this machine";
		case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
		case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
		case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
		case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
		case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
			return "; cafile= must name a file with the authority that signed it";
		default:
			return "";
	}
}

static const char *advice_on_cut(const struct rl_tls_context *context)
{
	return context->has_spoken
		? " in the TLS handshake; does it have too many clients?"
		: " in the TLS handshake" NO_TLS_THERE " Or does it have too many clients?";
}

static enum rl_status refused(
	const struct rl_address *address, struct rl_tls *tls, int failure, struct rl_error *error)
{
	long verdict = SSL_get_verify_result(tls->ssl);
	bool was_cut = tls->ended || failure != TLS_FAILED;
	char reason[256];

	if (failure == TLS_FAILED && ERR_GET_REASON(tls->reason) == SSL_R_CERTIFICATE_VERIFY_FAILED) {
		return rl_fail(error, RL_UNREACHABLE,
			"Cannot connect to Redis at %s: its certificate is not accepted%s%s: %s%s",
			address->name, address->sni ? " for " : "", address->sni ? address->sni : "",
			X509_verify_cert_error_string(verdict), advice_on_certificate(verdict));
	}
	rl_fail(error, RL_UNREACHABLE, "Cannot connect to Redis at %s: %s%s", address->name,
		text(&tls->transport, failure, reason, sizeof reason),
		was_cut ? advice_on_cut(address->tls) : "");
	if (was_cut) {
		error->cause = RL_CAUSE_TURNED_AWAY;
	}
	return RL_UNREACHABLE;
}

enum rl_status rl_tls_shake_hands(
	struct rl_tls *tls, const struct rl_address *address, struct rl_error *error)
{
	int result, failure;

	start(tls);
	result = SSL_connect(tls->ssl);
	if (result == 1) {
		address->tls->has_spoken = true;
		return RL_OK;
	}
	failure = outcome(tls, result);
	return failure == RL_SOCKET_NOT_NOW ? RL_NO : refused(address, tls, failure, error);
}

/* Or the server has said so behind the handshake, or closed the connection without a word. */
bool rl_tls_reread(struct rl_tls *tls, const struct rl_address *address)
{
	bool was_refused = tls->reason != 0 || (address->cert && (tls->ended || tls->failure));

	if (was_refused) {
		forget_files(address->tls);
	}
	return was_refused && !tls->is_fresh;
}

int rl_tls_stage(const struct rl_tls *tls)
{
	return (int)SSL_get_state(tls->ssl);
}

enum rl_status rl_tls_too_late(const struct rl_address *address, struct rl_error *error)
{
	return rl_fail(error, RL_UNREACHABLE,
		"Cannot connect to Redis at %s: no TLS handshake within the timeout%s", address->name,
		address->tls->has_spoken ? "; is the server overloaded or frozen?"
								 : NO_TLS_THERE " Or is it overloaded or frozen?");
}

static bool is_ip(const char *name)
{
	struct in6_addr unused;

	return inet_pton(AF_INET, name, &unused) == 1 || inet_pton(AF_INET6, name, &unused) == 1;
}

/* Whom we want to talk to: told to the server, and looked for in its certificate. */
static bool expect_name(const struct rl_address *address, SSL *ssl)
{
	char name[NAME_SIZE];
	size_t length;

	snprintf(name, sizeof name, "%s", address->sni ? address->sni : address->host);
	name[strcspn(name, "%")] = '\0'; /* a zone is this machine's word */
	if (is_ip(name)) {
		return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), name) == 1;
	}
	/*
	 * A name that is complete, as "redis.example.com." for the resolver, is written without the dot
	 * here.
	 */
	length = strlen(name);
	if (length > 1 && name[length - 1] == '.') {
		name[length - 1] = '\0';
	}
	/*
	 * What is in the subject is anybody's name: certificates say in subjectAltName which hosts are
	 * theirs.
	 */
	SSL_set_hostflags(
		ssl, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
	return SSL_set1_host(ssl, name) == 1 && SSL_set_tlsext_host_name(ssl, name) == 1;
}

static enum rl_status prepare(
	const struct rl_address *address, struct rl_tls *tls, struct rl_error *error)
{
	struct rl_tls_context *context = address->tls;
	enum rl_status status = RL_OK;
	BIO *bio;

	if (!context->ssl) {
		tls->is_fresh = true;
		status = make_context(address, &context->ssl, error);
	}
	if (status != RL_OK) {
		return status;
	}
	tls->ssl = SSL_new(context->ssl);
	bio = tls->ssl ? BIO_new(context->bio) : NULL;
	if (!bio) {
		return rl_fail_for_memory(error);
	}
	BIO_set_data(bio, tls);
	BIO_set_init(bio, 1);
	SSL_set_bio(tls->ssl, bio, bio);
	if (!expect_name(address, tls->ssl)) {
		return rl_fail_for_memory(error);
	}
	SSL_set_verify(tls->ssl, address->verify ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, NULL);
	return RL_OK;
}

static void free_tls(struct rl_transport *transport)
{
	struct rl_tls *tls = (struct rl_tls *)transport;

	SSL_free(tls->ssl);
	free(tls);
}

static const struct rl_transport_kind kind = {
	.send = send_encrypted,
	.receive = receive,
	.wants_write = wants_write,
	.text = text,
	.free = free_tls,
};

enum rl_status rl_tls_begin(
	const struct rl_address *address, int fd, struct rl_tls **out, struct rl_error *error)
{
	struct rl_tls *tls = calloc(1, sizeof *tls);
	enum rl_status status;

	if (!tls) {
		return rl_fail_for_memory(error);
	}
	tls->transport = (struct rl_transport){
		.kind = &kind, .fd = fd, .buffer = tls->record, .buffer_size = sizeof tls->record
	};
	status = prepare(address, tls, error);
	if (status != RL_OK) {
		free_tls(&tls->transport);
		return status;
	}
	*out = tls;
	return RL_OK;
}

struct rl_transport *rl_tls_transport(struct rl_tls *tls)
{
	return &tls->transport;
}

#else

bool rl_tls_supported(void)
{
	return false;
}

bool rl_tls_start(void)
{
	return true;
}

struct rl_tls_context *rl_tls_context_new(void)
{
	return NULL;
}

void rl_tls_context_free(struct rl_tls_context *context)
{
}

enum rl_status rl_tls_begin(
	const struct rl_address *address, int fd, struct rl_tls **out, struct rl_error *error)
{
	return rl_fail(error, RL_MISUSE, "Cannot connect to Redis at %s: rlock was built without TLS",
		address->name);
}

enum rl_status rl_tls_shake_hands(
	struct rl_tls *tls, const struct rl_address *address, struct rl_error *error)
{
	return rl_tls_begin(address, -1, NULL, error);
}

bool rl_tls_reread(struct rl_tls *tls, const struct rl_address *address)
{
	return false;
}

int rl_tls_stage(const struct rl_tls *tls)
{
	return 0;
}

enum rl_status rl_tls_too_late(const struct rl_address *address, struct rl_error *error)
{
	return rl_tls_begin(address, -1, NULL, error);
}

struct rl_transport *rl_tls_transport(struct rl_tls *tls)
{
	return NULL;
}

#endif
