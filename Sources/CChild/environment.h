// The environment that a child process gets.
#ifndef CARREL_CCHILD_ENVIRONMENT_H
#define CARREL_CCHILD_ENVIRONMENT_H

#include <stdlib.h>
#include <string.h>

/// Whether a variable, as `NAME=value`, is for this process alone: what configures Carrel and its sync service, passwords among it, and
/// the keys of storages and databases. A child has no use for them, and what it starts may show or keep them.
static inline int carrel_child_is_secret(const char *variable) {
    static const char *const prefixes[] = {"CARREL_", "SYNC_"};
    static const char *const names[] = {
        "AWS_ACCESS_KEY_ID=", "AWS_SECRET_ACCESS_KEY=", "AWS_SESSION_TOKEN=", "AWS_SECURITY_TOKEN=",
        "AWS_CONTAINER_AUTHORIZATION_TOKEN=", "PGPASSWORD=",
    };
    for (size_t at = 0; at < sizeof prefixes / sizeof *prefixes; at++) {
        if (strncmp(variable, prefixes[at], strlen(prefixes[at])) == 0) return 1;
    }
    for (size_t at = 0; at < sizeof names / sizeof *names; at++) {
        if (strncmp(variable, names[at], strlen(names[at])) == 0) return 1;
    }
    return 0;
}

/// The variables that a child gets of those given. Every start of a child goes through it, so no caller can forget.
///
/// @return A list for free(3), whose texts belong to `environment`; NULL with errno.
static inline char **carrel_child_environment(char *const *environment) {
    size_t count = 0;
    while (environment[count]) count++;
    char **kept = (char **)calloc(count + 1, sizeof *kept);
    if (!kept) return NULL;
    size_t next = 0;
    for (size_t at = 0; at < count; at++) {
        if (!carrel_child_is_secret(environment[at])) kept[next++] = environment[at];
    }
    return kept;
}

#endif
