// SPDX-License-Identifier: MIT
/* Work in a child process: a crash, a hang or an illegal instruction becomes a status. */
#ifndef ULPLAB_ISOLATE_H
#define ULPLAB_ISOLATE_H

#include <stddef.h>
#include <sys/types.h>

#include "model/status.h"

/* In the child: sends one message (at most 64 KiB) to the parent. Exits the child if the parent
 * is gone. */
void isolate_send(int channel, const void *message, size_t size);

/* In the child, before anything is measured: from here on only this process may send, and none that
 * a kernel forks; it ends with its parent; handlers of signals are the system's, SIGINT is ignored;
 * the constants of the program and its libraries are present in memory. isolate_run() calls it. */
void isolate_begin(void);

/* In the parent: called with each message as it comes. */
typedef void (*isolate_receiver)(void *context, const void *message, size_t size);

/* Forks; the child is a process group of its own, which ends with it, has none of the lab's files
 * open, resets its signal handlers, sends what it prints to standard error, runs work(context,
 * channel) and exits. The parent receives until the child ends. Returns STATUS_OK when it ended by
 * itself, else what ended it: STATUS_TIMEOUT after `silence_s` seconds without a message, not
 * counting up to ten minutes in which the child was stopped (SIGSTOP); STATUS_INTERRUPTED when the
 * lab was asked to stop (the child is killed in both cases); STATUS_KILLED where it wrote something
 * else into the channel; or the child's signal. The parent must not have used OpenMP before: its
 * threads do not survive a fork. receive: NULL where the child sends nothing. */
enum status isolate_run(void (*work)(void *context, int channel), isolate_receiver receive,
                        void *context, double silence_s);

/* The parent's half alone, for a child started otherwise (fork and exec): makes it a process group,
 * receives from `channel` until `child` ends, reaps it and closes the channel. */
enum status isolate_watch(pid_t child, int channel, isolate_receiver receive, void *context,
                          double silence_s);

#endif
