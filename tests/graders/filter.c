#include "filter.h"

#ifdef HAVE_SECCOMP
#include <fcntl.h>
#include <seccomp.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <unistd.h>
#endif

bool filter_exists(void)
{
#ifdef HAVE_SECCOMP
    return true;
#else
    return false;
#endif
}

#ifdef HAVE_SECCOMP
/* clang-format off */
static const char *const refused[] = {
    /* processes and threads, and leaving the group that will be killed */
    "fork", "vfork", "clone", "clone3", "execve", "execveat", "setsid", "setpgid", "unshare", "setns",
    /* others: signals, their memory, what they run on */
    "kill", "tkill", "pidfd_open", "pidfd_send_signal", "rt_sigqueueinfo", "rt_tgsigqueueinfo",
    "ptrace", "process_vm_readv", "process_vm_writev", "setpriority", "sched_setattr",
    "sched_setscheduler", "sched_setaffinity",
    /* files (open and openat: see below) */
    "creat", "openat2", "open_by_handle_at", "unlink", "unlinkat", "rename", "renameat", "renameat2",
    "mkdir", "mkdirat", "rmdir", "link", "linkat", "symlink", "symlinkat", "mknod", "mknodat",
    "truncate", "chmod", "fchmod", "fchmodat", "chown", "fchown", "lchown", "fchownat", "utime",
    "utimes", "utimensat", "futimesat", "setxattr", "lsetxattr", "fsetxattr", "removexattr",
    "lremovexattr", "fremovexattr", "mount", "umount2", "move_mount", "fsopen", "pivot_root", "chroot",
    /* the network, and what outlives a process */
    "socket", "socketpair", "connect", "bind", "shmget", "msgget", "semget", "mq_open", "add_key",
    "keyctl", "request_key",
    /* ways around a filter, and its own limits (prlimit64: see below) */
    "io_uring_setup", "bpf", "perf_event_open", "userfaultfd", "personality", "setrlimit", "setuid",
    "setgid",
    /* the machine */
    "reboot", "kexec_load", "init_module", "finit_module", "delete_module", "swapon", "swapoff",
    "sethostname", "setdomainname", "settimeofday", "clock_settime", "adjtimex", "clock_adjtime",
    "acct", "quotactl", "syslog",
};
/* clang-format on */

static void refuse(scmp_filter_ctx filter, int call, unsigned n, const struct scmp_arg_cmp *when)
{
    if (call != __NR_SCMP_ERROR) {
        seccomp_rule_add_array(filter, SCMP_ACT_KILL_PROCESS, call, n, when);
    }
}

/* open for writing: any of these flags. */
static void refuse_writing(scmp_filter_ctx filter, int call, unsigned flags_argument)
{
    static const scmp_datum_t flags[] = {O_WRONLY, O_RDWR, O_CREAT, O_TRUNC};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        struct scmp_arg_cmp has = SCMP_CMP(flags_argument, SCMP_CMP_MASKED_EQ, flags[i], flags[i]);
        refuse(filter, call, 1, &has);
    }
}

void filter_write(int file)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        refuse(filter, seccomp_syscall_resolve_name(refused[i]), 0, NULL);
    }
    refuse_writing(filter, SCMP_SYS(open), 1);
    refuse_writing(filter, SCMP_SYS(openat), 2);
    struct scmp_arg_cmp another = {.arg = 0, .op = SCMP_CMP_NE, .datum_a = (scmp_datum_t)getpid()};
    refuse(filter, SCMP_SYS(tgkill), 1, &another);
    /* typing into somebody's terminal */
    struct scmp_arg_cmp typing = {.arg = 1, .op = SCMP_CMP_EQ, .datum_a = TIOCSTI};
    refuse(filter, SCMP_SYS(ioctl), 1, &typing);
    struct scmp_arg_cmp new_limit = {.arg = 2, .op = SCMP_CMP_NE, .datum_a = 0};
    refuse(filter, SCMP_SYS(prlimit64), 1, &new_limit);
    seccomp_export_bpf(filter, file);
    seccomp_release(filter);
}
#else
void filter_write(int file)
{
    (void)file; /* empty: no filter */
}
#endif
