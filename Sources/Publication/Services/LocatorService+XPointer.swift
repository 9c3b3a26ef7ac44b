import MediaTypes

extension Publication {
    /// The place that `pointer` leads to; nil if the spine has no such item, and in what is no EPUB.
    ///
    /// A path that the chapter no longer has leads to the deepest element that is left of it.
    ///
    /// - Throws: Errors of the storage.
    /// - Complexity: The chapter is read.
    package func locate(_ pointer: XPointer) async throws -> Locator? {
        guard let service = service(.locator) as? StandardLocators else { return nil }
        return try await service.locate(pointer)
    }

    /// KOReader's pointer to the place that `locator` leads to; nil for what is no EPUB.
    ///
    /// - Throws: Errors of the storage.
    /// - Complexity: The chapter is read.
    package func pointer(to locator: Locator) async throws -> XPointer? {
        guard let service = service(.locator) as? StandardLocators else { return nil }
        return try await service.pointer(to: locator)
    }
}

extension StandardLocators {
    func locate(_ pointer: XPointer) async throws -> Locator? {
        guard let index = spine?.resource(at: pointer.fragment - 1, in: manifest) else { return nil }
        let link = manifest.readingOrder[index]
        let start = Locator(
            href: link.href, type: link.type ?? MediaType.xhtml.string,
            locations: Locator.Locations(progression: 0))
        guard link.mediaType.isHTML, let places = try await places(index) else { return try await locate(start) }
        guard let place = ContentXPointer(places.document).place(of: pointer) else { return try await locate(start) }
        let positions = try await context.publication().positionTable()
        return places.locator(at: place.offset, node: place.node, positions: positions)
    }

    func pointer(to locator: Locator) async throws -> XPointer? {
        guard let spine, let index = index(of: locator.href),
            let item = spine.index(of: manifest.readingOrder[index])
        else { return nil }
        let pointer = XPointer(fragment: item + 1, offset: 0)
        guard manifest.readingOrder[index].mediaType.isHTML,
            let (places, place) = try await placeInText(locator, index)
        else { return pointer }
        return ContentXPointer(places.document).pointer(pointer, to: place)
    }
}
