/// Where the spine of an EPUB's package document has the chapters: the first steps of an EPUB CFI.
struct EPUBSpine: Sendable {
    /// The step to the spine in the package document.
    let step: Int
    /// The items in order, those that are not linear included.
    let items: [(href: String, step: EPUBCFI.Step)]

    /// The path to the chapter at `link`; nil for what is not in the spine.
    func path(of link: Link) -> EPUBCFI.Path? {
        let wanted = HREFBase.resource(of: link.href)
        guard let item = items.first(where: { HREFBase.resource(of: $0.href) == wanted }) else { return nil }
        return EPUBCFI.Path([EPUBCFI.Step(step), item.step])
    }

    /// The index in the reading order of the chapter that `paths` lead to: by the id of its `itemref` where it is known,
    /// else by the number of its step.
    func resource(of paths: [EPUBCFI.Path], in manifest: Manifest) -> Int? {
        guard let steps = paths.first?.steps, steps.count >= 2 else { return nil }
        let known = steps[1].id.flatMap { id in items.first { $0.step.id == id } }
        guard let item = known ?? items.first(where: { steps[0].number == step && $0.step.number == steps[1].number })
        else { return nil }
        let wanted = HREFBase.resource(of: item.href)
        return manifest.readingOrder.firstIndex { HREFBase.resource(of: $0.href) == wanted }
    }

    /// The index in ``items`` of the chapter at `link`; nil for what is not in the spine.
    func index(of link: Link) -> Int? {
        let wanted = HREFBase.resource(of: link.href)
        return items.firstIndex { HREFBase.resource(of: $0.href) == wanted }
    }

    /// The index in the reading order of item `index`; nil if there is no such item, or it is not read.
    func resource(at index: Int, in manifest: Manifest) -> Int? {
        guard items.indices.contains(index) else { return nil }
        let wanted = HREFBase.resource(of: items[index].href)
        return manifest.readingOrder.firstIndex { HREFBase.resource(of: $0.href) == wanted }
    }
}
