// System calls of Linux that Foundation's Glibc module does not show, because it is built without _GNU_SOURCE.
#ifndef CARREL_CLINUX_SHIM_H
#define CARREL_CLINUX_SHIM_H

#include <fcntl.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/// renameat2(2) with RENAME_NOREPLACE: fails with EEXIST when the new name is taken.
static inline int carrel_rename_noreplace(int old_folder, const char *old_name, int new_folder, const char *new_name) {
    return (int)syscall(SYS_renameat2, old_folder, old_name, new_folder, new_name, 1u);
}

/// sync_file_range(2) with SYNC_FILE_RANGE_WRITE: starts writing these pages to the disk without waiting for it.
static inline int carrel_start_writeback(int file, long long offset, long long count) {
    return (int)syscall(SYS_sync_file_range, file, offset, count, 2u);
}

/// copy_file_range(2), from and to the files' own offsets.
static inline long carrel_copy_file_range(int from, int to, size_t count) {
    return syscall(SYS_copy_file_range, from, (void *)0, to, (void *)0, count, 0u);
}

/// open(2): a handle that names a place and opens nothing.
static const int carrel_O_PATH = 010000000;

// pthread_tryjoin_np(3) and pthread_setname_np(3), declared here because their header hides them.
extern int carrel_pthread_tryjoin(pthread_t thread, void **result) __asm__("pthread_tryjoin_np");
extern int carrel_pthread_timedjoin(pthread_t thread, void **result, const struct timespec *deadline) __asm__("pthread_timedjoin_np");
extern int carrel_pthread_setname(pthread_t thread, const char *name) __asm__("pthread_setname_np");

#endif
