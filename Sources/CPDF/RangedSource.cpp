#ifdef CARREL_WITH_QPDF

#include "RangedSource.h"

#include <algorithm>
#include <cstring>

namespace {

/// qpdf takes objects apart from pieces of this size; larger reads are for the bytes of streams and for searching.
const size_t largestPiece = 128;
/// Blocks of what is expected that are loaded at once; 1 MiB.
const size_t blocksAhead = 32;

}  // namespace

RangedSource::RangedSource(const carrel_pdf_sink &sink, long long length, Meter &meter)
    : sink(sink), meter(meter), size(length) {}

void RangedSource::seek(qpdf_offset_t offset, int whence) {
    const long long start = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? position : size;
    long long target = 0;
    // Offsets come from the file: what lies outside of it is its end.
    if (__builtin_add_overflow(start, static_cast<long long>(offset), &target) || target < 0) target = size;
    position = std::min(target, size);
}

void RangedSource::load() {
    const long long start = position / carrel_pdf_block * carrel_pdf_block;
    if (start == blockStart) return;
    loadAhead(start);
    const size_t count = static_cast<size_t>(std::min<long long>(carrel_pdf_block, size - start));
    // One that was read before comes from memory as a rule, and is counted as little.
    meter.read(seen.count(start) == 0 ? count : count / 16);
    block.resize(count);
    blockStart = -1;
    if (sink.read(sink.context, start, block.data(), count) != static_cast<long>(count)) throw Stopped{carrel_pdf_stopped};
    blockStart = start;
    seen.insert(start);
}

void RangedSource::expect(long long start, long long end) {
    aheadStart = start / carrel_pdf_block * carrel_pdf_block;
    aheadEnd = std::min(end, size);
}

void RangedSource::loadAhead(long long start) {
    if (start < aheadStart || start >= aheadEnd) return;
    std::vector<long long> offsets;
    for (long long at = start; at < aheadEnd && offsets.size() < blocksAhead; at += carrel_pdf_block) offsets.push_back(at);
    aheadStart = offsets.back() + carrel_pdf_block;
    prefetch(offsets);
}

void RangedSource::prefetch(const std::vector<long long> &offsets) {
    std::vector<long long> missing;
    for (const long long offset : offsets) {
        const bool isInside = offset >= 0 && offset < size;
        if (isInside && seen.count(offset / carrel_pdf_block * carrel_pdf_block) == 0) missing.push_back(offset);
    }
    if (missing.size() > 1) sink.prefetch(sink.context, missing.data(), missing.size());
}

size_t RangedSource::read(char *buffer, size_t length) {
    meter.step();
    last_offset = position;
    size_t done = 0;
    while (done < length && position < size) {
        load();
        const size_t inBlock = static_cast<size_t>(position - blockStart);
        const size_t count = std::min(length - done, block.size() - inBlock);
        std::memcpy(buffer + done, block.data() + inBlock, count);
        done += count;
        position += static_cast<long long>(count);
    }
    if (length <= largestPiece) meter.parse(reinterpret_cast<const unsigned char *>(buffer), done);
    return done;
}

int RangedSource::peek() {
    if (position >= size) return -1;
    load();
    return static_cast<unsigned char>(block[static_cast<size_t>(position - blockStart)]);
}

qpdf_offset_t RangedSource::findAndSkipNextEOL() {
    const auto isEnd = [](int byte) { return byte == '\r' || byte == '\n'; };
    meter.step();
    while (position < size && !isEnd(peek())) position++;
    const qpdf_offset_t found = position;
    while (position < size && isEnd(peek())) position++;
    return found;
}

#endif
