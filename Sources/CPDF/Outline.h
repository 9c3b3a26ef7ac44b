// The table of contents that readers show beside the pages.
#ifndef CARREL_CPDF_OUTLINE_H
#define CARREL_CPDF_OUTLINE_H

#include "CPDF.h"
#include "PageTree.h"

#include <optional>
#include <string>

/// Where names lead to (ISO 32000-1, section 12.3.2.3).
class Destinations {
public:
    Destinations(QPDFObjectHandle catalog, PageTree &pages, unsigned &problems);

    /// The index of the page that an item of the outline leads to; -1 where that is none of this document.
    long page(QPDFObjectHandle item);

private:
    QPDFObjectHandle named(QPDFObjectHandle name);
    /// Reads the whole tree of names, once: of a few thousand names most are asked for.
    void readNames();

    QPDFObjectHandle catalog;
    PageTree &pages;
    unsigned &problems;
    std::optional<std::unordered_map<std::string, QPDFObjectHandle>> names;
};

/// Gives all items of the outline (ISO 32000-1, section 12.3.3), as far as the limits allow.
void readOutline(QPDFObjectHandle catalog, PageTree &pages, const carrel_pdf_sink &sink, unsigned &problems);

#endif
