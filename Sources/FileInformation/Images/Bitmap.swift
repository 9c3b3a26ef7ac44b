/// Pixels in memory: red, green, blue and alpha, eight bits each, from the top left; alpha is not premultiplied.
struct Bitmap: Sendable {
    let width: Int
    let height: Int
    /// Four bytes for each pixel, without gaps.
    var bytes: [UInt8]

    init(width: Int, height: Int, bytes: [UInt8]) {
        self.width = width
        self.height = height
        self.bytes = bytes
    }

    /// Whether any pixel is not opaque.
    var isTransparent: Bool { stride(from: 3, to: bytes.count, by: 4).contains { bytes[$0] != 255 } }

    /// Returns the size of a picture of `width` and `height` whose longer side is at most `dimension`: keeps the shape,
    /// and never enlarges.
    static func fit(width: Int, height: Int, dimension: Int) -> (width: Int, height: Int) {
        let longer = max(width, height)
        if longer <= dimension { return (width, height) }
        func scaled(_ side: Int) -> Int { max(1, Int((Double(side) * Double(dimension) / Double(longer)).rounded())) }
        return (scaled(width), scaled(height))
    }

    /// Returns this picture with its longer side at most `dimension`: each new pixel is the mean of those that it
    /// covers.
    ///
    /// - Complexity: O(pixels).
    func scaledDown(to dimension: Int) -> Bitmap {
        let size = Self.fit(width: width, height: height, dimension: dimension)
        if size == (width, height) { return self }
        let columns = Self.shares(of: width, in: size.width)
        let rows = Self.shares(of: height, in: size.height)
        let area = Float(width) / Float(size.width) * Float(height) / Float(size.height)
        var sums = [Float](repeating: 0, count: size.width * 4)
        var result = [UInt8](repeating: 0, count: size.width * size.height * 4)
        bytes.withUnsafeBufferPointer { source in
            for (y, row) in rows.enumerated() {
                for index in sums.indices { sums[index] = 0 }
                for line in row.range {
                    Self.add(
                        line: line, weight: row.weight(of: line), of: source, width: width, columns: columns, to: &sums)
                }
                Self.store(sums, area: area, into: &result, at: y * size.width * 4)
            }
        }
        return Bitmap(width: size.width, height: size.height, bytes: result)
    }

    /// The old pixels that one new pixel covers along one side; those at its ends are covered in part.
    private struct Share {
        let start: Double
        let end: Double
        let range: Range<Int>

        func weight(of index: Int) -> Float { Float(min(end, Double(index + 1)) - max(start, Double(index))) }
    }

    private static func shares(of previous: Int, in new: Int) -> [Share] {
        (0..<new).map { index in
            let start = Double(index) * Double(previous) / Double(new)
            let end = Double(index + 1) * Double(previous) / Double(new)
            return Share(
                start: start, end: end, range: Int(start)..<max(Int(start) + 1, min(previous, Int(end.rounded(.up)))))
        }
    }

    /// Weighs colours by their opacity, so that invisible pixels don't tint an edge.
    private static func add(
        line: Int, weight: Float, of source: UnsafeBufferPointer<UInt8>, width: Int, columns: [Share],
        to sums: inout [Float]
    ) {
        sums.withUnsafeMutableBufferPointer { sums in
            for (x, column) in columns.enumerated() {
                for pixel in column.range {
                    let offset = (line * width + pixel) * 4
                    let alpha = Float(source[offset + 3]) * column.weight(of: pixel) * weight
                    sums[x * 4] += Float(source[offset]) * alpha
                    sums[x * 4 + 1] += Float(source[offset + 1]) * alpha
                    sums[x * 4 + 2] += Float(source[offset + 2]) * alpha
                    sums[x * 4 + 3] += alpha
                }
            }
        }
    }

    /// - Parameter area: The number of old pixels in a new one.
    private static func store(_ sums: [Float], area: Float, into result: inout [UInt8], at offset: Int) {
        for x in stride(from: 0, to: sums.count, by: 4) where sums[x + 3] > 0 {
            for channel in 0..<3 {
                result[offset + x + channel] = UInt8(min(255, (sums[x + channel] / sums[x + 3]).rounded()))
            }
            result[offset + x + 3] = UInt8(min(255, (sums[x + 3] / area).rounded()))
        }
    }

    /// Returns this picture oriented for display.
    ///
    /// - Parameter orientation: EXIF's number, 1–8 (Exif 2.32, section 4.6.4, tag 274); others change nothing.
    func turned(by orientation: Int) -> Bitmap {
        guard (2...8).contains(orientation) else { return self }
        let swaps = orientation >= 5
        let (newWidth, newHeight) = swaps ? (height, width) : (width, height)
        var result = [UInt8](repeating: 0, count: bytes.count)
        for y in 0..<newHeight {
            for x in 0..<newWidth {
                let (along, down) = swaps ? (y, x) : (x, y)
                let oldX = [2, 3, 7, 8].contains(orientation) ? width - 1 - along : along
                let oldY = [3, 4, 6, 7].contains(orientation) ? height - 1 - down : down
                for channel in 0..<4 {
                    result[(y * newWidth + x) * 4 + channel] = bytes[(oldY * width + oldX) * 4 + channel]
                }
            }
        }
        return Bitmap(width: newWidth, height: newHeight, bytes: result)
    }
}
