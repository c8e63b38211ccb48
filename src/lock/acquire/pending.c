#include "pending.h"
enum rl_status rl_pending_refuse(const struct rl_owner *owner, struct rl_text key, struct rl_error *error) { return RL_OK; }
enum rl_status rl_owner_request(struct rl_owner *owner, const struct rl_acquire *request, struct rl_pending **out, struct rl_error *error) { return rl_fail(error, RL_MISUSE, "not now"); }
bool rl_pending_go_on(struct rl_pending *pending, enum rl_status *status, struct rl_error *error) { return true; }
int rl_pending_fd(const struct rl_pending *pending) { return -1; }
void rl_pending_cancel(struct rl_pending *pending) {}
void rl_pending_cancel_all(struct rl_owner *owner) {}
void rl_pending_end(struct rl_pending *pending) {}
