/// What the folders of a publication say that is nothing but files: its title, and its table of contents.
struct FolderContents {
    /// The name of the one folder that all files lie in; nil where there is none.
    let title: String?
    /// A link for each folder to the first file in or below it, with the folders inside as its children.
    let tableOfContents: [Link]

    /// - Parameter files: In reading order.
    init(_ files: [ListedFile]) {
        let files = files.map { (folders: $0.folders, href: $0.link.href) }
        let first = files.first?.folders.first
        let isWrapped = first != nil && files.allSatisfy { $0.folders.first == first }
        title = isWrapped ? first.map(String.init) : nil
        tableOfContents = Self.links(files[...], below: isWrapped ? 1 : 0)
    }

    /// The folders at one depth, which is bounded as ``ListedFile/folders`` is. Those of one name count as one, where the first begins.
    private static func links(_ files: ArraySlice<(folders: [Substring], href: String)>, below depth: Int) -> [Link] {
        var names: [Substring] = []
        var inside: [Substring: [(folders: [Substring], href: String)]] = [:]
        for file in files where file.folders.count > depth {
            let name = file.folders[depth]
            if inside[name] == nil { names.append(name) }
            inside[name, default: []].append(file)
        }
        return names.compactMap { name in
            guard let files = inside[name], let first = files.first else { return nil }
            return Link(href: first.href, title: String(name), children: links(files[...], below: depth + 1))
        }
    }
}
