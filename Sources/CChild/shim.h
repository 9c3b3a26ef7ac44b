// Starting a child process under limits. fork(2) is closed to Swift: only calls that are safe after it may follow, and these are C.
#ifndef CARREL_CCHILD_SHIM_H
#define CARREL_CCHILD_SHIM_H

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "confinement.h"
#include "environment.h"

/// What a child may take, each as in setrlimit(2).
struct carrel_child_limits {
    /// Bytes of address space.
    unsigned long long memory;
    /// Seconds of processor time.
    unsigned long long seconds;
};

static inline void carrel_child_limit(int resource, rlim_t most) {
    struct rlimit limit = {most, most};
    setrlimit((__rlimit_resource_t)resource, &limit);
}

/// execve(2), the end of a child in any case: with 127 where it fails. A program that was written a moment ago may be open for writing in
/// another child that is about to run something (ETXTBSY); that passes, and is waited for, at most a second.
static inline void carrel_child_execute(const char *path, char *const *arguments, char *const *variables) {
    const struct timespec pause = {0, 5000000};
    for (int tries = 0; tries < 200; tries++) {
        execve(path, arguments, variables);
        if (errno != ETXTBSY) break;
        nanosleep(&pause, NULL);
    }
    _exit(127);
}

/// Runs `path` as the leader of a process group of its own, with nothing but these descriptors: standard input from /dev/null, output and
/// errors to the two given, and `input` as descriptor 3. It writes no file, makes no core dump, and has signal handling as new. It gets
/// `environment` without secrets, and is confined as carrel_child_confine says.
///
/// @return The child's number; -1 with errno. Exit code 127 means that `path` cannot be run, and 126 that the child cannot be confined.
static inline pid_t carrel_child_start(
    const char *path, char *const *arguments, char *const *environment, int input, int output, int errors,
    struct carrel_child_limits limits) {
    char **variables = carrel_child_environment(environment);
    if (!variables) return -1;
    pid_t child = fork();
    if (child != 0) {
        int code = errno;
        free(variables);
        errno = code;
        return child;
    }

    setpgid(0, 0);
    for (int number = 1; number < 32; number++) signal(number, SIG_DFL);
    // A library that tries to write a cache gets an error and goes on.
    signal(SIGXFSZ, SIG_IGN);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, 0);

    // Out of the way first, so that none of the four is overwritten before it is copied.
    int null = open("/dev/null", O_RDONLY);
    int from[4] = {null, output, errors, input};
    for (int target = 0; target < 4; target++) {
        from[target] = fcntl(from[target], F_DUPFD, 10);
        if (from[target] < 0) _exit(126);
    }
    for (int target = 0; target < 4; target++) {
        if (dup2(from[target], target) < 0) _exit(126);
    }
    if (syscall(SYS_close_range, 4u, ~0u, 0u) != 0) {
        for (int number = 4; number < 65536; number++) close(number);
    }

    carrel_child_limit(RLIMIT_AS, limits.memory);
    carrel_child_limit(RLIMIT_CPU, limits.seconds);
    carrel_child_limit(RLIMIT_FSIZE, 0);
    carrel_child_limit(RLIMIT_CORE, 0);
    carrel_child_limit(RLIMIT_NOFILE, 64);
    if (carrel_child_confine(path, 3) != 0) _exit(126);
    carrel_child_execute(path, arguments, variables);
}

/// Runs `path` as the leader of a process group of its own, for a talk over its standard input and output. It has these three descriptors
/// and no other, signal handling as new, `environment` without secrets, and no limits but those of this process.
///
/// @return The child's number; -1 with errno. That `path` cannot be run shows as exit code 127.
static inline pid_t carrel_child_talk(
    const char *path, char *const *arguments, char *const *environment, int input, int output, int errors) {
    char **variables = carrel_child_environment(environment);
    if (!variables) return -1;
    pid_t child = fork();
    if (child != 0) {
        int code = errno;
        free(variables);
        errno = code;
        return child;
    }

    setpgid(0, 0);
    for (int number = 1; number < 32; number++) signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, 0);

    int from[3] = {input, output, errors};
    for (int target = 0; target < 3; target++) {
        from[target] = fcntl(from[target], F_DUPFD, 10);
        if (from[target] < 0) _exit(126);
    }
    for (int target = 0; target < 3; target++) {
        if (dup2(from[target], target) < 0) _exit(126);
    }
    if (syscall(SYS_close_range, 3u, ~0u, 0u) != 0) {
        for (int number = 3; number < 65536; number++) close(number);
    }
    carrel_child_execute(path, arguments, variables);
}

/// F_SETPIPE_SZ of fcntl(2), which hides: bytes that a pipe holds; -1 with errno where it may not be so many.
static inline int carrel_pipe_resize(int end, int bytes) { return fcntl(end, 1031, bytes); }

/// pidfd_open(2): a descriptor that is readable once the child has ended; -1 with errno. The number is the same on every architecture.
static inline int carrel_child_watch(pid_t child) { return (int)syscall(434, child, 0u); }

/// pipe2(2), which hides: both ends close on exec.
static inline int carrel_child_pipe(int ends[2]) { return (int)syscall(SYS_pipe2, ends, O_CLOEXEC); }

/// The macros of wait(2).
static inline int carrel_exited(int status) { return (status & 0x7f) == 0; }
static inline int carrel_exit_code(int status) { return (status >> 8) & 0xff; }

#endif
