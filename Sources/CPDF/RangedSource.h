// A file that qpdf reads by calling back.
#ifndef CARREL_CPDF_RANGEDSOURCE_H
#define CARREL_CPDF_RANGEDSOURCE_H

#include "Installed.h"

#include "CPDF.h"
#include "Meter.h"

#include <qpdf/InputSource.hh>

#include <set>
#include <string>
#include <vector>

class RangedSource : public InputSource {
public:
    RangedSource(const carrel_pdf_sink &sink, long long length, Meter &meter);

    qpdf_offset_t findAndSkipNextEOL() override;
    std::string const &getName() const override { return name; }
    qpdf_offset_t tell() override { return position; }
    void seek(qpdf_offset_t offset, int whence) override;
    void rewind() override { position = 0; }
    size_t read(char *buffer, size_t length) override;
    void unreadCh(char) override { position -= position > 0 ? 1 : 0; }

    /// Different blocks that were read so far.
    size_t blocksSeen() const { return seen.size(); }
    /// Has the blocks with the bytes at these offsets loaded at once.
    void prefetch(const std::vector<long long> &offsets);
    /// Has the bytes from `start` to `end` loaded in large pieces, each as soon as its first byte is read.
    void expect(long long start, long long end);

private:
    void loadAhead(long long start);
    /// Makes `block` the one that holds the byte at `position`.
    void load();
    /// The next byte, which stays unread; -1 at the end.
    int peek();

    const carrel_pdf_sink &sink;
    Meter &meter;
    const std::string name = "PDF";
    const long long size;
    long long position = 0;
    long long blockStart = -1;
    std::vector<char> block;
    std::set<long long> seen;
    /// What is expected and not yet asked for.
    long long aheadStart = 0;
    long long aheadEnd = 0;
};

#endif
