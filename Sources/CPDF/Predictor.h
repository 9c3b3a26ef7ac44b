// Undoes what makes rows of numbers smaller before they are packed.
#ifndef CARREL_CPDF_PREDICTOR_H
#define CARREL_CPDF_PREDICTOR_H

#include "Installed.h"

#include <qpdf/Pipeline.hh>

#include <vector>

/// Predictors 2 (TIFF) and 10 to 15 (PNG); ISO 32000-1, section 7.4.4.4.
class Predictor : public Pipeline {
public:
    struct Layout {
        long long predictor = 1;
        long long columns = 1;
        long long colors = 1;
        long long bits = 8;

        /// Whether it makes sense, and a row has 1 MiB or less.
        bool isUsable() const;
        size_t rowLength() const { return static_cast<size_t>((columns * colors * bits + 7) / 8); }
    };

    Predictor(const Layout &layout, Pipeline *next);
    void write(unsigned char const *data, size_t count) override;
    void finish() override;

private:
    void takeRow();
    void undoPNG(unsigned char kind, unsigned char *row);
    void undoTIFF(unsigned char *row);

    const Layout layout;
    const size_t length;
    /// Bytes from one sample to the same of the next column.
    const size_t distance;
    /// 1 where each row starts with a byte that says how it was made.
    const size_t header;
    std::vector<unsigned char> current;
    std::vector<unsigned char> previous;
    size_t filled = 0;
};

#endif
