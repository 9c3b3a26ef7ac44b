/// A provider whose reads cost the same on every server, so that no server has to be asked for it.
package protocol FixedReadCost: FileProviderBasic {
    /// The cost that ``FileProviderBasic/capabilities()`` returns, too.
    var readCost: Capabilities.ReadCost { get }
}

extension FileProviderBasic {
    /// The number of folders that are worth listing at once.
    ///
    /// - Throws: As ``capabilities()``.
    /// - Complexity: No request for a provider of a ``FixedReadCost``; for others, that of ``capabilities()``.
    package func concurrentListings() async throws -> Int {
        if let provider = self as? any FixedReadCost { return provider.readCost.concurrentListings }
        return try await capabilities().readCost.concurrentListings
    }
}
