// SPDX-License-Identifier: MIT
/* Work in a child process, and how long the parent waits for it. */
#include <link.h>
#include <signal.h>
#include <unistd.h>

#include "base/process.h"
#include "measure/isolate.h"

#include "test.h"

/* silence_s: the limit for children that fall silent; patience_s: for children that must end by
 * themselves. */
static const double silence_s = 1, patience_s = 60;

struct heard {
    size_t messages;
    int last;
};

static void receive(void *context, const void *message, size_t size)
{
    struct heard *h = context;
    assert_int_equal(size, sizeof h->last);
    memcpy(&h->last, message, size);
    h->messages++;
}

static void say_two(void *context, int channel)
{
    (void)context;
    for (int i = 1; i <= 2; i++) isolate_send(channel, &i, sizeof i);
}

TEST(messages_come_in_order)
{
    struct heard h = {0};
    assert_int_equal(isolate_run(say_two, receive, &h, patience_s), STATUS_OK);
    assert_int_equal(h.messages, 2);
    assert_int_equal(h.last, 2);
}

static void close_and_spin(void *context, int channel)
{
    say_two(context, channel);
    close(channel);
    for (;;) pause();
}

TEST(a_child_that_closed_its_channel_is_not_waited_for_without_end)
{
    struct heard h = {0};
    assert_int_equal(isolate_run(close_and_spin, receive, &h, silence_s), STATUS_TIMEOUT);
    assert_int_equal(h.messages, 2);
}

static void say_half(void *context, int channel)
{
    uint32_t header = sizeof(int);
    (void)context;
    if (write(channel, &header, sizeof header) == sizeof header)
        for (;;) pause();
}

TEST(half_a_message_is_not_waited_for_without_end)
{
    struct heard h = {0};
    assert_int_equal(isolate_run(say_half, receive, &h, silence_s), STATUS_TIMEOUT);
    assert_int_equal(h.messages, 0);
}

/* Stops the process for longer than it may be silent, then goes on. */
static void stop_and_go_on(void *context, int channel)
{
    pid_t self = getpid();
    (void)context;
    if (fork() == 0) {
        usleep((useconds_t)(1.5e6 * silence_s));
        kill(self, SIGCONT);
        _exit(0);
    }
    raise(SIGSTOP);
    int one = 1;
    isolate_send(channel, &one, sizeof one);
}

static void say_and_stop(void *context, int channel)
{
    say_two(context, channel);
    stop_and_go_on(context, channel);
}

TEST(a_child_that_is_stopped_is_not_silent)
{
    struct heard h = {0};
    assert_int_equal(isolate_run(stop_and_go_on, receive, &h, silence_s), STATUS_OK);
    assert_int_equal(h.messages, 1);
    assert_int_equal(isolate_run(say_and_stop, receive, &h, silence_s), STATUS_OK);
    assert_int_equal(h.messages, 4);
}

static void close_and_interrupt(void *context, int channel)
{
    (void)context;
    close(channel);
    usleep(50000);
    kill(getppid(), SIGINT);
    for (;;) pause();
}

TEST(the_first_interruption_is_heard)
{
    struct heard h = {0};
    interrupt_install();
    assert_int_equal(isolate_run(close_and_interrupt, receive, &h, 20), STATUS_INTERRUPTED);
    interrupt_reset();
}

/* ---- Constants ------------------------------------------------------------------------------- */

struct pages {
    size_t all, absent;
};

/* The program itself comes first; the libraries are left out. */
static int count_pages(struct dl_phdr_info *program, size_t size, void *counted)
{
    struct pages *pages = counted;
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    FILE *map = fopen("/proc/self/pagemap", "rb");
    (void)size;
    for (size_t i = 0; map && i < program->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &program->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD || segment->p_flags != PF_R) continue;
        uintptr_t begin = program->dlpi_addr + segment->p_vaddr;
        for (uintptr_t at = begin; at < begin + segment->p_memsz; at += page) {
            uint64_t entry = 0;
            if (fseek(map, (long)(at / page * sizeof entry), SEEK_SET) != 0 ||
                fread(&entry, sizeof entry, 1, map) != 1)
                break;
            pages->all++;
            pages->absent += !(entry >> 63);
        }
    }
    if (map) fclose(map);
    return 1;
}

static void send_pages(void *context, int channel)
{
    struct pages pages = {0, 0};
    (void)context;
    dl_iterate_phdr(count_pages, &pages);
    isolate_send(channel, &pages, sizeof pages);
}

static void receive_pages(void *context, const void *message, size_t size)
{
    memcpy(context, message, size);
}

TEST(the_constants_of_kernels_are_present_in_a_child)
{
    struct pages pages = {0, 0};
    assert_int_equal(isolate_run(send_pages, receive_pages, &pages, 10), STATUS_OK);
    if (!pages.all) {
        print_message("skipped: /proc/self/pagemap cannot be read here\n");
        skip();
    }
    assert_int_equal(pages.absent, 0);
}

int main(void)
{
    alarm(300);
    return test_run();
}
