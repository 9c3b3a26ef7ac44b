import SafeXML

/// `META-INF/container.xml`: where the package document is (EPUB 3.3, section 4.2.6.3.1).
struct ContainerDocument: Sendable {
    static let href = "META-INF/container.xml"
    private static let packageType = "application/oebps-package+xml"

    /// The address of the first package document, relative to the root; nil if none is named that lies in the container.
    let packageHREF: String?

    init(_ root: XMLElement) {
        let rootFiles = root.descendants("rootfile")
        let packages = rootFiles.filter { $0.attribute("media-type").map(EPUBText.trimmed) == Self.packageType }
        // Other renditions of the book, and old books without a type, come after.
        packageHREF = (packages + rootFiles).lazy.compactMap { rootFile in
            rootFile.attribute("full-path").flatMap(EPUBPath.root.resolve)
        }.first { !EPUBPath.isRemote($0) }
    }
}
