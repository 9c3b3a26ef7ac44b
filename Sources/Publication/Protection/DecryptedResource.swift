/// A resource that decrypts the bytes of another one as they pass.
///
/// A cache on disk stores the bytes of ``cipher`` and decrypts above itself, so that nothing decrypted is stored.
package protocol DecryptedResource: Resource {
    /// The resource below, with the bytes as they are in the publication.
    var cipher: any Resource { get }

    /// Returns a resource that decrypts the bytes of `cipher`, which are those of ``cipher``, in the same way.
    func reading(_ cipher: any Resource) -> any Resource
}

extension Encryption {
    /// Whether the resource is encrypted with a secret: by a scheme, or with AES. Obfuscation of fonts is not.
    package var isSecret: Bool {
        scheme != nil || algorithm.hasPrefix("http://www.w3.org/") && algorithm.contains("#aes")
    }
}
