package import Foundation

extension Data {
    /// So many bytes that repeat after 65,537: no two ranges of whole kibibytes that are near each other are alike. Made
    /// quickly, without optimisation too.
    package static func patterned(_ count: Int) -> Data {
        let period = Data((0..<65_537).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3 ^ $0 >> 11) })
        var data = Data(capacity: count)
        while data.count < count { data.append(period.prefix(count - data.count)) }
        return data
    }
}
