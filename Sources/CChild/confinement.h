// What a child that reads untrusted files may ask of the kernel. All of it runs between fork(2) and execve(2).
#ifndef CARREL_CCHILD_CONFINEMENT_H
#define CARREL_CCHILD_CONFINEMENT_H

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// Landlock. Source: landlock(7). Numbers and layouts are written out: older headers lack them, and they are the same on every architecture.

/// The version of Landlock in this kernel; -1 with errno without one, or where it is switched off.
static inline int carrel_landlock_abi(void) { return (int)syscall(444, NULL, (size_t)0, 1u); }

enum { carrel_landlock_execute = 1 << 0, carrel_landlock_write = 1 << 1, carrel_landlock_read = 1 << 2, carrel_landlock_list = 1 << 3 };

struct carrel_landlock_ruleset { unsigned long long files, network, scopes; };
struct carrel_landlock_rule { unsigned long long allowed; int place; } __attribute__((packed));

static inline int carrel_landlock_allow(int ruleset, int place, unsigned long long rights) {
    struct stat status;
    if (fstat(place, &status) != 0) return -1;
    if (!S_ISDIR(status.st_mode)) rights &= ~(unsigned long long)carrel_landlock_list;
    struct carrel_landlock_rule rule = {rights, place};
    return (int)syscall(445, ruleset, 1u, &rule, 0u);
}

/// What is not there needs no rule.
static inline int carrel_landlock_allow_path(int ruleset, const char *path, unsigned long long rights) {
    int place = open(path, 010000000 | O_CLOEXEC);  // O_PATH, which hides.
    if (place < 0) return 0;
    int result = carrel_landlock_allow(ruleset, place, rights);
    close(place);
    return result;
}

/// Leaves this process, and all that it starts, the system's folders and the open file `input`, to be read; nothing else can be opened,
/// and no name made, removed or changed. Where the kernel can, signals to processes outside of it and TCP are refused as well.
///
/// @return 0, also where the kernel has no Landlock; -1 with errno.
static inline int carrel_landlock_confine(const char *program, int input) {
    static const char *const folders[] = {
        "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/opt", "/nix/store", "/gnu/store", "/etc/alternatives", "/etc/fonts",
        "/etc/ld.so.cache", "/etc/ld.so.preload", "/etc/localtime", "/var/cache/fontconfig",
    };
    static const char *const devices[] = {"/dev/null", "/dev/zero", "/dev/random", "/dev/urandom"};
    int version = carrel_landlock_abi();
    if (version < 1) return 0;
    // Each version knows more that can be refused: renames between folders, truncation, ioctl(2) of devices.
    unsigned long long files = (1ull << 13) - 1;
    if (version >= 2) files |= 1ull << 13;
    if (version >= 3) files |= 1ull << 14;
    if (version >= 5) files |= 1ull << 15;
    struct carrel_landlock_ruleset wanted = {files, version >= 4 ? 3 : 0, version >= 6 ? 3 : 0};
    size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
    int ruleset = (int)syscall(444, &wanted, size, 0u);
    if (ruleset < 0) return -1;
    unsigned long long use = carrel_landlock_read | carrel_landlock_list | carrel_landlock_execute;
    int result = 0;
    for (size_t at = 0; at < sizeof folders / sizeof *folders; at++) result |= carrel_landlock_allow_path(ruleset, folders[at], use);
    for (size_t at = 0; at < sizeof devices / sizeof *devices; at++) {
        result |= carrel_landlock_allow_path(ruleset, devices[at], carrel_landlock_read | carrel_landlock_write);
    }
    result |= carrel_landlock_allow_path(ruleset, program, carrel_landlock_read | carrel_landlock_execute);
    // The file has no name any more; by `/dev/fd/3` it is opened again. One in memory needs no rule, and cannot have one (EBADFD).
    if (carrel_landlock_allow(ruleset, input, carrel_landlock_read) != 0 && errno != EBADFD) result = -1;
    if (result == 0) result = (int)syscall(446, ruleset, 0u);
    close(ruleset);
    return result;
}

// seccomp. Source: seccomp(2).

#if defined(__x86_64__)
#define CARREL_AUDIT_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define CARREL_AUDIT_ARCH AUDIT_ARCH_AARCH64
#endif

#define CARREL_FILTER_FAIL(code) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (code))
#define CARREL_FILTER_REFUSE(number) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), CARREL_FILTER_FAIL(EPERM)

/// Refuses, with EPERM, what no program needs that reads one file and writes to its output: sockets, looking into other processes, names
/// and what belongs to them, mounts and namespaces, and ways around such a filter.
///
/// @return 0, also where the kernel or this architecture has no filter; -1 with errno.
static inline int carrel_seccomp_confine(void) {
#ifdef CARREL_AUDIT_ARCH
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CARREL_AUDIT_ARCH, 1, 0), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
#ifdef __x86_64__
        // The calls of x32 have numbers of their own.
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1), CARREL_FILTER_FAIL(ENOSYS),
#endif
        CARREL_FILTER_REFUSE(SYS_socket), CARREL_FILTER_REFUSE(SYS_socketpair), CARREL_FILTER_REFUSE(SYS_connect),
        CARREL_FILTER_REFUSE(SYS_bind), CARREL_FILTER_REFUSE(SYS_listen), CARREL_FILTER_REFUSE(SYS_accept),
        CARREL_FILTER_REFUSE(SYS_accept4), CARREL_FILTER_REFUSE(SYS_ptrace), CARREL_FILTER_REFUSE(SYS_process_vm_readv),
        CARREL_FILTER_REFUSE(SYS_process_vm_writev), CARREL_FILTER_REFUSE(438),  // pidfd_getfd
#ifdef SYS_rename
        CARREL_FILTER_REFUSE(SYS_rename), CARREL_FILTER_REFUSE(SYS_link), CARREL_FILTER_REFUSE(SYS_symlink),
        CARREL_FILTER_REFUSE(SYS_unlink), CARREL_FILTER_REFUSE(SYS_rmdir), CARREL_FILTER_REFUSE(SYS_mkdir),
        CARREL_FILTER_REFUSE(SYS_mknod), CARREL_FILTER_REFUSE(SYS_chmod), CARREL_FILTER_REFUSE(SYS_chown),
        CARREL_FILTER_REFUSE(SYS_lchown),
#endif
#ifdef SYS_renameat
        CARREL_FILTER_REFUSE(SYS_renameat),
#endif
        CARREL_FILTER_REFUSE(SYS_renameat2), CARREL_FILTER_REFUSE(SYS_linkat), CARREL_FILTER_REFUSE(SYS_symlinkat),
        CARREL_FILTER_REFUSE(SYS_unlinkat), CARREL_FILTER_REFUSE(SYS_mkdirat), CARREL_FILTER_REFUSE(SYS_mknodat),
        CARREL_FILTER_REFUSE(SYS_fchmodat), CARREL_FILTER_REFUSE(SYS_fchmod), CARREL_FILTER_REFUSE(452),  // fchmodat2
        CARREL_FILTER_REFUSE(SYS_fchownat), CARREL_FILTER_REFUSE(SYS_fchown), CARREL_FILTER_REFUSE(SYS_truncate),
        CARREL_FILTER_REFUSE(SYS_setxattr), CARREL_FILTER_REFUSE(SYS_lsetxattr), CARREL_FILTER_REFUSE(SYS_fsetxattr),
        CARREL_FILTER_REFUSE(SYS_utimensat), CARREL_FILTER_REFUSE(SYS_mount), CARREL_FILTER_REFUSE(SYS_umount2),
        CARREL_FILTER_REFUSE(SYS_pivot_root), CARREL_FILTER_REFUSE(SYS_chroot), CARREL_FILTER_REFUSE(SYS_unshare),
        CARREL_FILTER_REFUSE(SYS_setns), CARREL_FILTER_REFUSE(SYS_open_by_handle_at), CARREL_FILTER_REFUSE(SYS_keyctl),
        CARREL_FILTER_REFUSE(SYS_add_key), CARREL_FILTER_REFUSE(SYS_request_key), CARREL_FILTER_REFUSE(SYS_bpf),
        CARREL_FILTER_REFUSE(SYS_perf_event_open), CARREL_FILTER_REFUSE(SYS_userfaultfd),
        // io_uring does what this filter refuses, without the calls.
        CARREL_FILTER_REFUSE(425), CARREL_FILTER_REFUSE(426), CARREL_FILTER_REFUSE(427),
        // Its flags lie in memory, where no filter reads; the C library then takes clone(2).
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 435, 0, 1), CARREL_FILTER_FAIL(ENOSYS),
        // No namespaces: a process may mount file systems in its own.
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 4),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0x7E020000, 0, 1), CARREL_FILTER_FAIL(EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        // TIOCSTI types into the user's terminal.
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0x5412, 0, 1), CARREL_FILTER_FAIL(EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {(unsigned short)(sizeof filter / sizeof *filter), filter};
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0) return 0;
    // A kernel that was built without it.
    return errno == EINVAL ? 0 : -1;
#else
    return 0;
#endif
}

/// Takes from this process, for good, what a program that reads `input` does not need.
///
/// @return 0; -1 with errno where the kernel has the means and does not apply them: then nothing must be run.
static inline int carrel_child_confine(const char *program, int input) {
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
    if (carrel_landlock_confine(program, input) != 0) return -1;
    return carrel_seccomp_confine();
}

#endif
