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

long Destinations::page(QPDFObjectHandle item) {
    QPDFObjectHandle target = key(item, "/Dest");
    if (target.isNull()) {
        QPDFObjectHandle action = key(item, "/A");
        if (!key(action, "/S").isNameAndEquals("/GoTo")) return -1;
        target = key(action, "/D");
    }
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
    if (name.isName()) {
        const std::string text = name.getName();
        Meter::current()->copy(text.size());
        return key(key(catalog, "/Dests"), text.c_str());
    }
    if (!names) readNames();
    const auto found = names->find(bytes(name));
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
        sink.outline(sink.context, step.depth, text.data(), std::min(text.size(), longestTitle), destinations.page(step.item));
        left.push_back({step.item.getKey("/Next"), step.depth});
        left.push_back({step.item.getKey("/First"), step.depth + 1});
    }
}

#endif
