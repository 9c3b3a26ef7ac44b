import FileProviderCore
import Foundation
import SampleBooks

@testable import LCP
@testable import Publication

private let key = Data((0x40..<0x60).map { UInt8($0) })

/// A resource of a protected book: the input as cipher text, as plain text that is encrypted right, and as deflated data
/// that is encrypted right.
func fuzzProtectedResource(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    var input = FuzzInput(data, size: size)
    let (flags, first, second) = (input.byte() ?? 0, input.byte() ?? 0, input.byte() ?? 0)
    let bytes = Data(input.bytes)
    let start = Int64(first) * 33 - 9
    let range = start..<start + Int64(second) * 33
    let length = flags & 1 == 0 ? nil : Int64(flags) * 33
    wait {
        for compression in [nil, "deflate"] {
            await check(decrypting(bytes, compression, length), range)
            await check(decrypting(SampleCipher.encrypt(bytes, key: key), compression, length), range)
        }
        let right = decrypting(SampleCipher.encrypt(bytes, key: key), nil, flags & 2 == 0 ? nil : Int64(bytes.count))
        let (part, whole, count) = (try await right.read(range), try await right.read(), try await right.length())
        precondition(whole == bytes && count == Int64(bytes.count), "What was encrypted is not decrypted.")
        precondition(part == cut(bytes, range), "A part of what was encrypted is not decrypted.")
    }
    return 0
}

private func decrypting(_ cipher: Data, _ compression: String?, _ length: Int64?) -> any Resource {
    let encryption = Encryption(
        algorithm: LicenseDecryptor.algorithm, compression: compression, originalLength: length)
    let decryptor = LicenseDecryptor(key: LicenseKey(contentKey: Array(key))) { _ in encryption }
    return decryptor.transformer(BytesResource(Link(href: "a"), data: cipher))
}

/// If the whole can be read, so can a part, and its length is known; no resource becomes far larger than its input.
private func check(_ resource: any Resource, _ range: Range<Int64>) async {
    do {
        let whole = try await resource.read()
        precondition(whole.count <= 4 << 20, "A resource grew to \(whole.count) bytes.")
        do {
            let (part, length) = (try await resource.read(range), try await resource.length())
            precondition(part == cut(whole, range), "A part is not the same as in the whole.")
            precondition(length == Int64(whole.count), "The length is \(length) and not \(whole.count).")
        } catch {
            preconditionFailure("The whole can be read, and a part cannot: \(error)")
        }
    } catch {
        checkError(error)
        do { _ = try await resource.read(range) } catch { checkError(error) }
    }
}

private func cut(_ data: Data, _ range: Range<Int64>) -> Data {
    let range = range.clamped(to: 0..<Int64(data.count))
    return data.dropFirst(Int(range.lowerBound)).prefix(range.count)
}
