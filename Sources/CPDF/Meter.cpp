#ifdef CARREL_WITH_QPDF

#include "Meter.h"

#include <algorithm>
#include <pthread.h>
#include <time.h>

namespace {

thread_local Meter *running = nullptr;

/// Seconds that this thread has worked; waiting for bytes does not count.
double workingTime() {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

const int mostFilters = 16;

/// The address below which the stack must not grow: what calls without a check take fits below it.
const char *stackFloor() {
    const size_t reserve = 160 << 10;
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return nullptr;
    void *start = nullptr;
    size_t size = 0;
    pthread_attr_getstack(&attributes, &start, &size);
    pthread_attr_destroy(&attributes);
    return static_cast<const char *>(start) + std::min(reserve, size / 2);
}

}  // namespace

Meter::Meter(long long length, double seconds)
    : bytesLeft((64LL << 20) + (length <= largestRepaired ? 2 * length : 0)),
      latest(workingTime() + seconds),
      lowest(stackFloor()),
      outer(running) {
    running = this;
}

Meter::~Meter() { running = outer; }

Meter *Meter::current() { return running; }

void Meter::read(size_t count) {
    bytesLeft -= static_cast<long long>(count);
    if (bytesLeft < 0) throw Stopped{carrel_pdf_too_large};
}

void Meter::step() {
    const char here = 0;
    if (&here < lowest) throw Stopped{carrel_pdf_too_large};
    if (++steps % 64 == 0 && workingTime() > latest) throw Stopped{carrel_pdf_too_large};
}

void Meter::unpack(const unsigned char *bytes, size_t count) {
    unpackedLeft -= static_cast<long long>(count);
    if (unpackedLeft < 0) throw Stopped{carrel_pdf_too_large};
    if (!isContent) parse(bytes, count);
    step();
}

void Meter::parse(const unsigned char *bytes, size_t count) {
    for (size_t index = 0; index < count; index++) {
        switch (bytes[index]) {
        case '[': case '(': case '<': case '/':
            wordsLeft--;
            isInWord = true;
            break;
        case ' ': case '\n': case '\r': case '\t': case '\f': case '\0': case ']': case ')': case '>':
            isInWord = false;
            break;
        default:
            if (!isInWord) wordsLeft--;
            isInWord = true;
        }
    }
    if (wordsLeft < 0) throw Stopped{carrel_pdf_too_large};
}

void Meter::copy(size_t count) {
    copiedLeft -= static_cast<long long>(count);
    if (copiedLeft < 0) throw Stopped{carrel_pdf_too_large};
    step();
}

void Meter::addFilter() {
    // Counted only when it is granted: a filter that was refused is not removed later.
    if (filters >= mostFilters) throw Stopped{carrel_pdf_too_large};
    filters++;
}

#endif
