// What one call may take of this machine.
#ifndef CARREL_CPDF_METER_H
#define CARREL_CPDF_METER_H

#include "CPDF.h"

#include <cstddef>

/// Ends a call from within the library. No `std::exception`, because qpdf takes those for damage and goes on.
struct Stopped {
    carrel_pdf_result reason;
};

/// Counts what a call takes. Each check throws `Stopped` when there is none left.
class Meter {
public:
    /// Files up to this length, 64 MiB, are read as a whole when they are damaged.
    static const long long largestRepaired = 64 << 20;

    /// While there is one, nothing is made objects of: what is unpacked is only looked through.
    class Content {
    public:
        Content() { current()->isContent = true; }
        ~Content() { current()->isContent = false; }
        Content(const Content &) = delete;
        Content &operator=(const Content &) = delete;
    };

    Meter(long long length, double seconds);
    ~Meter();
    Meter(const Meter &) = delete;
    Meter &operator=(const Meter &) = delete;

    /// The one of the call that runs on this thread; null outside of calls.
    static Meter *current();

    /// Bytes that are asked of the file. Waiting for them is no work: how long that may take is for the storage to say.
    void read(size_t count);
    /// Looks at the clock and at the stack, which chains of references use up.
    void step();
    /// Bytes that come out of a decoder.
    void unpack(const unsigned char *bytes, size_t count);
    /// What the library makes objects of: each word, such as a number, takes about 250 bytes of memory.
    void parse(const unsigned char *bytes, size_t count);
    /// Bytes of a text that is copied or converted: many objects can refer to one long text.
    void copy(size_t count);
    /// One decoder more, or less, that lives at this time: each can hold 2 MiB of rows.
    void addFilter();
    void removeFilter() { filters--; }

private:
    long long bytesLeft;
    long long unpackedLeft = 64 << 20;
    long long wordsLeft = 1 << 20;
    long long copiedLeft = 64 << 20;
    int filters = 0;
    bool isInWord = false;
    bool isContent = false;
    unsigned steps = 0;
    double latest;
    const char *lowest;
    Meter *outer;
};

#endif
