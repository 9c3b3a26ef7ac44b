import FileProviderCore
import Foundation
import Publication

/// Decrypts the resources of a publication as they are read (LCP 1.0, section 2.3; XML Encryption 1.1, section 5.2).
struct LicenseDecryptor: Sendable {
    /// AES-256 in CBC mode, the only algorithm of the specification.
    static let algorithm = "http://www.w3.org/2001/04/xmlenc#aes256-cbc"

    private let key: LicenseKey
    private let encryptions: @Sendable (_ link: Link) -> Encryption?
    private let checkpoints = SharedCheckpoints()

    /// - Parameter encryptions: Returns how the resource at a link is encrypted; nil if it is plain.
    init(key: LicenseKey, encryptions: @escaping @Sendable (_ link: Link) -> Encryption?) {
        self.key = key
        self.encryptions = encryptions
    }

    /// The transformer for a `TransformingFetcher`. Returns plain resources unchanged; those of another algorithm fail
    /// when they are read, with `CocoaError(.featureUnsupported)`.
    var transformer: ResourceTransformer { { transform($0) } }

    private func transform(_ resource: any Resource) -> any Resource {
        let link = resource.link
        guard let encryption = encryptions(link) else { return resource }
        guard encryption.algorithm == Self.algorithm else {
            return failure(link, "it is encrypted with “\(encryption.algorithm.prefix(200))”, which LCP does not use")
        }
        let decrypted = EncryptedResource(resource, key: key, encryption: encryption)
        switch encryption.compression {
        case nil, "none", "0", "": return decrypted
        case "deflate", "8": return InflatedResource(decrypted, checkpoints: checkpoints)
        case .some(let other):
            return failure(link, "it is compressed with “\(other.prefix(200))”, which LCP does not use")
        }
    }

    private func failure(_ link: Link, _ why: String) -> any Resource {
        let sentence = "“\(link.href)” cannot be read: \(why)."
        return FailureResource(
            link, error: FileError.make(.featureUnsupported, path: link.href, sentence: sentence))
    }
}
