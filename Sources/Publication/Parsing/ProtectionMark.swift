import Archives
import FileProviderCore

/// Files that a protection scheme adds to a package, recognised by their names.
enum ProtectionMark: String, CaseIterable {
    /// Readium LCP 1.0, section 2.4: in an EPUB, and in other packages.
    case lcpLicense = "META-INF/license.lcpl"
    case lcpLicenseAtRoot = "license.lcpl"
    /// Adobe ADEPT and its successors.
    case rights = "META-INF/rights.xml"
    /// Apple's FairPlay.
    case sinf = "META-INF/sinf.xml"
    /// Kobo.
    case rightsAtRoot = "rights.xml"

    /// The file in `archive`; nil if there is none.
    ///
    /// - Complexity: O(1), no request.
    func entry(in archive: any Archive) -> ArchiveEntry? { archive.entry(at: rawValue) }

    /// The licence of Readium LCP in `archive`; nil if there is none.
    static func license(in archive: any Archive) -> ArchiveEntry? {
        lcpLicense.entry(in: archive) ?? lcpLicenseAtRoot.entry(in: archive)
    }

    /// Whether `archive` has one of these files.
    static func areIn(_ archive: any Archive) -> Bool { allCases.contains { $0.entry(in: archive) != nil } }
}
