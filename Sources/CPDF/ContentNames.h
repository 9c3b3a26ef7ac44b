// The names that content streams use.
#ifndef CARREL_CPDF_CONTENTNAMES_H
#define CARREL_CPDF_CONTENTNAMES_H

#include "Installed.h"

#include <qpdf/Pipeline.hh>
#include <qpdf/QPDFObjectHandle.hh>

#include <set>
#include <string>

/// Collects the names in content streams (ISO 32000-1, section 7.8.2): whatever is drawn from the resources is called by name.
///
/// It looks for names alone and not for operators, so names in texts are among them; that does no harm.
class ContentNames : private Pipeline {
public:
    ContentNames() : Pipeline("names", nullptr) {}

    /// Adds the names in a stream. If it cannot be unpacked, every name counts as used from then on.
    void read(QPDFObjectHandle stream);

    bool has(const std::string &name) const { return isEveryName || names.count(name) > 0; }

private:
    void write(unsigned char const *data, size_t count) override;
    void finish() override;
    void take();

    /// With the slash, decoded.
    std::set<std::string> names;
    std::string current;
    bool isInName = false;
    bool isEveryName = false;
};

#endif
