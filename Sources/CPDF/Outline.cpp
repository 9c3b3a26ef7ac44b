#ifdef CARREL_WITH_QPDF

#include "Outline.h"

#include "Meter.h"

#include <algorithm>

namespace {

const int mostItems = 20000;
const int mostLevels = 32;
const size_t mostNames = 200000;
const size_t mostNameNodes = 200000;
const size_t longestTitle = 4096;
const size_t longestLink = 4096;

QPDFObjectHandle key(QPDFObjectHandle dictionary, const char *name) {
    return dictionary.isDictionary() ? dictionary.getKey(name) : QPDFObjectHandle::newNull();
}

/// The bytes of a string, counted: any number of objects can refer to a long one.
std::string bytes(QPDFObjectHandle string) {
    std::string bytes = string.getStringValue();
    Meter::current()->copy(bytes.size());
    return bytes;
}

}  // namespace

Destinations::Destinations(QPDFObjectHandle catalog, PageTree &pages, unsigned &problems)
    : catalog(catalog), pages(pages), problems(problems) {}

Target Destinations::target(QPDFObjectHandle item) {
    Target target;
    QPDFObjectHandle destination = key(item, "/Dest"), action = key(item, "/A");
    if (!destination.isNull()) {
        target.page = page(destination);
        return target;
    }
    QPDFObjectHandle kind = key(action, "/S");
    if (kind.isNameAndEquals("/GoTo")) {
        target.page = page(key(action, "/D"));
    } else if (kind.isNameAndEquals("/URI") && key(action, "/URI").isString()) {
        QPDFObjectHandle address = key(action, "/URI");
        // ASCII by the book, and in some files any text that PDF has.
        const std::string written = bytes(address);
        target.kind = carrel_pdf_link_address;
        target.link = (written.compare(0, 2, "\xFE\xFF") == 0 ? address.getUTF8Value() : written).substr(0, longestLink);
    } else if (kind.isNameAndEquals("/Named") && key(action, "/N").isName()) {
        const std::string name = key(action, "/N").getName().substr(1, longestLink);
        if (name == "FirstPage" && pages.count() > 0) {
            target.page = 0;
        } else if (name == "LastPage" && pages.count() > 0) {
            target.page = pages.count() - 1;
        } else {
            target.kind = carrel_pdf_link_action;
            target.link = name;
        }
    }
    return target;
}

long Destinations::page(QPDFObjectHandle target) {
    // A name leads to an array, or to a dictionary with one.
    if (target.isName() || target.isString()) target = named(target);
    if (target.isDictionary()) target = target.getKey("/D");
    if (!target.isArray() || target.getArrayNItems() == 0) return -1;
    QPDFObjectHandle page = target.getArrayItem(0);
    if (page.isIndirect()) return pages.index(page);
    if (!page.isInteger()) return -1;
    // Meant for other documents only, and written for the own one, too.
    const long long index = page.getIntValue();
    return index >= 0 && index < pages.count() ? static_cast<long>(index) : -1;
}

QPDFObjectHandle Destinations::named(QPDFObjectHandle name) {
    QPDFObjectHandle dictionary = key(catalog, "/Dests");
    if (name.isName()) {
        const std::string text = name.getName();
        Meter::current()->copy(text.size());
        QPDFObjectHandle found = key(dictionary, text.c_str());
        return found.isNull() ? inTree(text.substr(1)) : found;
    }
    const std::string text = bytes(name);
    QPDFObjectHandle found = inTree(text);
    return found.isNull() ? key(dictionary, ("/" + text).c_str()) : found;
}

QPDFObjectHandle Destinations::inTree(const std::string &name) {
    if (!names) readNames();
    const auto found = names->find(name);
    return found == names->end() ? QPDFObjectHandle::newNull() : found->second;
}

void Destinations::readNames() {
    names.emplace();
    std::set<QPDFObjGen> visited;
    std::vector<QPDFObjectHandle> left = {key(key(catalog, "/Names"), "/Dests")};
    size_t nodes = 1, pairsSeen = 0;
    while (!left.empty()) {
        Meter::current()->step();
        QPDFObjectHandle node = left.back();
        left.pop_back();
        if (!node.isDictionary()) continue;
        if (node.isIndirect() && !visited.insert(node.getObjGen()).second) {
            problems |= carrel_pdf_outline_damaged;
            continue;
        }
        QPDFObjectHandle pairs = node.getKey("/Names"), kids = node.getKey("/Kids");
        const int pairCount = pairs.isArray() ? pairs.getArrayNItems() / 2 : 0;
        for (int index = 0; index < pairCount; index++) {
            // Not the names that were kept: many nodes can have one array of pairs.
            if (++pairsSeen > mostNames) {
                problems |= carrel_pdf_outline_cut;
                return;
            }
            QPDFObjectHandle name = pairs.getArrayItem(2 * index);
            if (name.isString()) names->emplace(bytes(name), pairs.getArrayItem(2 * index + 1));
        }
        const int kidCount = kids.isArray() ? kids.getArrayNItems() : 0;
        // `visited` does not know direct nodes, and an array of these can be the kids of each of them.
        nodes += static_cast<size_t>(kidCount);
        if (nodes > mostNameNodes) {
            problems |= carrel_pdf_outline_cut;
            return;
        }
        for (int index = 0; index < kidCount; index++) left.push_back(kids.getArrayItem(index));
    }
}

void readOutline(QPDFObjectHandle catalog, PageTree &pages, const carrel_pdf_sink &sink, unsigned &problems) {
    struct Step {
        QPDFObjectHandle item;
        int depth;
    };
    Destinations destinations(catalog, pages, problems);
    std::set<QPDFObjGen> visited;
    std::vector<Step> left = {{key(key(catalog, "/Outlines"), "/First"), 0}};
    int count = 0;
    while (!left.empty()) {
        Step step = left.back();
        left.pop_back();
        Meter::current()->step();
        if (step.item.isNull()) continue;
        if (!step.item.isDictionary() || (step.item.isIndirect() && !visited.insert(step.item.getObjGen()).second)) {
            problems |= carrel_pdf_outline_damaged;
            continue;
        }
        if (step.depth >= mostLevels || ++count > mostItems) {
            problems |= carrel_pdf_outline_cut;
            continue;
        }
        QPDFObjectHandle title = step.item.getKey("/Title");
        // Counted before it is converted, which takes far longer than to copy it.
        if (title.isString()) bytes(title);
        const std::string text = title.isString() ? title.getUTF8Value() : "";
        const Target target = destinations.target(step.item);
        const carrel_pdf_item item = {
            step.depth, text.data(), std::min(text.size(), longestTitle), target.page, target.kind, target.link.data(), target.link.size()};
        sink.outline(sink.context, &item);
        left.push_back({step.item.getKey("/Next"), step.depth});
        left.push_back({step.item.getKey("/First"), step.depth + 1});
    }
}

#endif
