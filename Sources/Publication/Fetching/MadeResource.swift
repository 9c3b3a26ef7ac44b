package import FileProviderCore
package import Foundation

/// A resource whose bytes are made when they are first asked for, and kept.
package final class MadeResource: Resource {
    package let link: Link
    private let make: @Sendable () async throws -> Data
    private let made = LockedValue<Data?>(nil)

    package init(_ link: Link, make: @escaping @Sendable () async throws -> Data) {
        self.link = link
        self.make = make
    }

    package func length() async throws -> Int64 { Int64(try await data().count) }

    package func stream(_ range: Range<Int64>?, into sink: any ByteSink) async throws {
        try await BytesResource(link, data: data()).stream(range, into: sink)
    }

    /// Two who ask at once may both make it, with the same result.
    private func data() async throws -> Data {
        if let data = made.value { return data }
        let data = try await make()
        made.update { $0 = data }
        return data
    }
}
