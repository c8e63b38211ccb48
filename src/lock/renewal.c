#include "owner_state.h"

enum rl_status rl_owner_alarm(struct rl_owner *owner, struct rl_error *error)
{
	(void)owner;
	(void)error;
	return RL_OK;
}

void rl_renewal_rest(void)
{
}

void rl_renewal_stop(void)
{
}
