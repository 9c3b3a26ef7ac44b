// The table of contents that readers show beside the pages.
#ifndef CARREL_CPDF_OUTLINE_H
#define CARREL_CPDF_OUTLINE_H

#include "CPDF.h"
#include "PageTree.h"

#include <optional>
#include <string>

/// What an item of the outline leads to.
struct Target {
    /// The index of a page; -1 for none of this document.
    long page = -1;
    carrel_pdf_link kind = carrel_pdf_link_none;
    std::string link;
};

/// Where names lead to (ISO 32000-1, section 12.3.2.3).
class Destinations {
public:
    Destinations(QPDFObjectHandle catalog, PageTree &pages, unsigned &problems);

    /// What an item of the outline leads to.
    Target target(QPDFObjectHandle item);

private:
    /// The index of the page of a destination; -1 where that is none of this document.
    long page(QPDFObjectHandle destination);
    /// What a name leads to in the dictionary of PDF 1.1 or in the tree of PDF 1.2: files mix them.
    QPDFObjectHandle named(QPDFObjectHandle name);
    QPDFObjectHandle inTree(const std::string &name);
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
