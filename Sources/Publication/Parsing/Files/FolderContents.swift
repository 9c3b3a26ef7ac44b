/// The title and table of contents that the folders of a publication of plain files give.
struct FolderContents {
    /// The name of the one folder that contains all files; nil if there is none.
    let title: String?
    /// A link for each folder to the first file in or below it, with the folders inside as its children.
    let tableOfContents: [Link]

    private typealias File = (folders: [Substring], href: String, links: [Link])

    /// - Parameters:
    ///   - files: In reading order.
    ///   - links: The entries of the table of contents for each of the files; by default none.
    init(_ files: [ListedFile], links: [[Link]] = []) {
        let files = files.enumerated().map { index, file in
            (folders: file.folders, href: file.link.href, links: links.indices.contains(index) ? links[index] : [])
        }
        let first = files.first?.folders.first
        let isWrapped = first != nil && files.allSatisfy { $0.folders.first == first }
        title = isWrapped ? first.map(String.init) : nil
        tableOfContents = Self.links(files[...], below: isWrapped ? 1 : 0)
    }

    /// The folders at one depth, which is bounded as ``ListedFile/folders`` is, and the links of the files beside them.
    /// Folders of one name count as one, where the first begins.
    private static func links(_ files: ArraySlice<File>, below depth: Int) -> [Link] {
        var locations: [(name: Substring?, links: [Link])] = []
        var inside: [Substring: [File]] = [:]
        for file in files {
            guard file.folders.count > depth else {
                locations.append((nil, file.links))
                continue
            }
            let name = file.folders[depth]
            if inside[name] == nil { locations.append((name, [])) }
            inside[name, default: []].append(file)
        }
        return locations.flatMap { name, own in
            guard let name, let files = inside[name], let first = files.first else { return own }
            return [Link(href: first.href, title: String(name), children: links(files[...], below: depth + 1))]
        }
    }
}
