/*
 * How this process is named to people: in the locks that it holds, and in the server's list of
 * clients.
 */
#ifndef RL_PROCESS_NAME_H
#define RL_PROCESS_NAME_H

#include "text.h"

#define RL_HOST_MAX          64
#define RL_PROCESS_NAME_SIZE (RL_HOST_MAX + sizeof(":-9223372036854775808"))

/*
 * HOST:PID, terminated; valid until the process forks. HOST is cut to 64 bytes, with '_' in place
 * of ':', of spaces and of all that is not printable ASCII.
 */
struct rl_text rl_process_name(void);
/* The same for a connection that stands for the process: "rlock:" and that. */
struct rl_text rl_process_client_name(void);

#endif
