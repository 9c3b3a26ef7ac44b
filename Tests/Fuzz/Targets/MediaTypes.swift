import Foundation
import Publication

/// A media type in each line.
func fuzzMediaType(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    let lines = String(decoding: FuzzInput(data, size: size).bytes, as: UTF8.self).split(separator: "\n").prefix(4)
    let types = lines.compactMap { MediaType(String($0)) }
    for type in types {
        precondition(MediaType(type.string) == type, "“\(type.string)” is not read back.")
        precondition(type.contains(type) && type.matches(type.string), "“\(type.string)” does not contain itself.")
        let canonical = type.canonicalized
        precondition(canonical.canonicalized == canonical, "“\(canonical.string)” is not canonical.")
        for other in types { precondition(type.matches(other) == other.matches(type), "Matching is one-sided.") }
    }
    return 0
}

/// A document that may be a licence, a manifest, or another format told by its content.
func fuzzSniffing(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    let bytes = Data(FuzzInput(data, size: size).bytes)
    wait { _ = try await MediaType.of(bytes: { bytes }) }
    wait {
        let found = try await MediaType.of(
            bytes: { bytes }, mediaTypes: [MediaType.json.string], fileExtensions: ["xml"])
        precondition(found != nil, "Less is known with hints.")
    }
    return 0
}
