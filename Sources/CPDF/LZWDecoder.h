// LZW as PDF has it.
#ifndef CARREL_CPDF_LZWDECODER_H
#define CARREL_CPDF_LZWDECODER_H

#include "Installed.h"

#include <qpdf/Pipeline.hh>

#include <vector>

/// Unpacks LZW (ISO 32000-1, section 7.4.4.2), in which PDF files before version 1.2 are packed.
class LZWDecoder : public Pipeline {
public:
    /// `isEarly`: codes become a bit longer one code before they would have to.
    LZWDecoder(bool isEarly, Pipeline *next);
    void write(unsigned char const *data, size_t count) override;
    void finish() override;

private:
    void take(unsigned code);

    static const unsigned clear = 256, end = 257, none = 4096;

    struct Word {
        unsigned short prefix;
        unsigned short length;
        unsigned char first;
        unsigned char last;
    };

    const unsigned early;
    unsigned bits = 0;
    unsigned bitCount = 0;
    unsigned codeLength = 9;
    unsigned before = none;
    bool isAtEnd = false;
    std::vector<Word> words;
    std::vector<unsigned char> output;
};

#endif
