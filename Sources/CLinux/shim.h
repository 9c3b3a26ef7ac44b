// System calls of Linux that Foundation's Glibc module does not show, because it is built without _GNU_SOURCE.
#ifndef CARREL_CLINUX_SHIM_H
#define CARREL_CLINUX_SHIM_H

#include <fcntl.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
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

/// sync_file_range(2), all three flags: writes these pages and waits until the disk has them. Takes their errors from fsync(2).
static inline int carrel_finish_writeback(int file, long long offset, long long count) {
    return (int)syscall(SYS_sync_file_range, file, offset, count, 7u);
}

/// memfd_create(2) with MFD_CLOEXEC: a file in memory, without a name in any folder.
static inline int carrel_memory_file(const char *name) { return (int)syscall(SYS_memfd_create, name, 1u); }

/// eventfd(2) with EFD_CLOEXEC and EFD_NONBLOCK, which are O_CLOEXEC and O_NONBLOCK, counting from 0.
static inline int carrel_eventfd(void) { return (int)syscall(SYS_eventfd2, 0u, O_CLOEXEC | O_NONBLOCK); }

/// syncfs(2): brings all of the file system that holds this open file onto the disk.
static inline int carrel_syncfs(int file) { return (int)syscall(SYS_syncfs, file); }

/// copy_file_range(2), from and to the same offset.
static inline long carrel_copy_file_range(int from, int to, long long offset, size_t count) {
    long long from_offset = offset, to_offset = offset;
    return syscall(SYS_copy_file_range, from, &from_offset, to, &to_offset, count, 0u);
}

/// ioctl_ficlone(2): lets `to` share all blocks of `from`. The number is _IOW(0x94, 9, int).
static inline int carrel_clone(int from, int to) { return (int)syscall(SYS_ioctl, to, 0x40049409ul, from); }

/// lseek(2) with SEEK_DATA: where the next bytes that are not a hole begin; ENXIO when there are none.
static inline long long carrel_next_data(int file, long long offset) { return lseek(file, offset, 3); }

/// lseek(2) with SEEK_HOLE: where the next hole begins, at the latest the file's end.
static inline long long carrel_next_hole(int file, long long offset) { return lseek(file, offset, 4); }

/// Seconds and nanoseconds since 1970, as statx(2) gives them.
struct carrel_statx_time { long long seconds; unsigned nanoseconds; int reserved; };

/// What statx(2) fills, whose header cannot stand beside that of stat(2).
struct carrel_statx {
    unsigned mask, block_size;
    unsigned long long attributes;
    unsigned links, owner, group;
    unsigned short mode, reserved;
    unsigned long long inode, size, blocks, attributes_mask;
    struct carrel_statx_time accessed, born, changed, modified;
    unsigned special_major, special_minor, device_major, device_minor;
    unsigned long long rest[14];
};
_Static_assert(sizeof(struct carrel_statx) == 256, "the kernel fills 256 bytes");

/// statx(2): all that stat(2) tells, and the time of birth. As stat(2) does, it mounts nothing on the way.
static inline int carrel_status(int folder, const char *name, int flags, struct carrel_statx *status) {
    return (int)syscall(SYS_statx, folder, name, flags | 0x800, 0xfffu, status);
}

/// statx(2), `mask`: the time of birth is known.
static const unsigned carrel_STATX_BTIME = 0x800;

/// statx(2): the status of what is open, where the name is empty.
static const int carrel_AT_EMPTY_PATH = 0x1000;

/// Whether the file system that holds this open file gives a file the same inode number for good. FAT and exFAT have none and make them up
/// each time, and so does what lies behind FUSE, mostly. Source: fstatfs(2), whose page lists the numbers.
static inline _Bool carrel_keeps_inodes(int file) {
    struct statfs system;
    if (fstatfs(file, &system) != 0) return 0;
    unsigned type = (unsigned)system.f_type;
    return type != 0x4d44u && type != 0x2011bab0u && type != 0x65735546u;
}

/// getdents64(2): records of inode (8 bytes), position (8), length of the record (2), type (1) and a name that ends in NUL.
static inline long carrel_getdents(int folder, void *buffer, size_t count) {
    return syscall(SYS_getdents64, folder, buffer, count);
}

// The calls of xattr(7) on an open file. The lengths are bytes; −1 and errno on failure.

static inline long carrel_flistxattr(int file, char *names, size_t count) { return syscall(SYS_flistxattr, file, names, count); }

static inline long carrel_fgetxattr(int file, const char *name, void *value, size_t count) {
    return syscall(SYS_fgetxattr, file, name, value, count);
}

static inline int carrel_fsetxattr(int file, const char *name, const void *value, size_t count) {
    return (int)syscall(SYS_fsetxattr, file, name, value, count, 0);
}

static inline int carrel_fremovexattr(int file, const char *name) { return (int)syscall(SYS_fremovexattr, file, name); }

/// openat2(2), whose header hides what it needs. `resolve`: see below.
static inline int carrel_openat2(int folder, const char *path, int flags, unsigned long long resolve) {
    struct { unsigned long long flags, mode, resolve; } how = { (unsigned long long)(unsigned)flags, 0, resolve };
    // The number is the same on every architecture.
    return (int)syscall(437, folder, path, &how, sizeof how);
}

/// openat2(2): links of /proc that lead to open files are refused.
static const unsigned long long carrel_RESOLVE_NO_MAGICLINKS = 0x02;
/// openat2(2): what leads out of the folder, absolute links included, is refused.
static const unsigned long long carrel_RESOLVE_BENEATH = 0x08;
/// openat2(2): the folder stands for `/`.
static const unsigned long long carrel_RESOLVE_IN_ROOT = 0x10;

/// open(2): a handle that names a place and opens nothing.
static const int carrel_O_PATH = 010000000;

// pthread_tryjoin_np(3) and pthread_setname_np(3), declared here because their header hides them.
extern int carrel_pthread_tryjoin(pthread_t thread, void **result) __asm__("pthread_tryjoin_np");
extern int carrel_pthread_timedjoin(pthread_t thread, void **result, const struct timespec *deadline) __asm__("pthread_timedjoin_np");
extern int carrel_pthread_setname(pthread_t thread, const char *name) __asm__("pthread_setname_np");

#endif
