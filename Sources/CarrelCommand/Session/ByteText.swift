/// Numbers of bytes as the user writes them.
enum ByteText {
    private static let factors: [Character: Double] = ["K": 0x1p10, "M": 0x1p20, "G": 0x1p30]

    /// Returns the bytes of `500`, `500K`, `1.5M` or `2G`, in powers of 1024; `nil` for another form.
    static func bytes(_ text: String) -> Int64? {
        let factor = text.uppercased().last.flatMap { factors[$0] }
        guard let number = Double(factor == nil ? text : String(text.dropLast())), (0..<1e12).contains(number) else {
            return nil
        }
        return Int64(exactly: (number * (factor ?? 1)).rounded(.down)) ?? .max
    }
}
