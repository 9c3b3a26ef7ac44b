public import Foundation

/// A lamp over a desk at night.
enum Cover {
    static let svg = """
        <?xml version="1.0" encoding="UTF-8"?>
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 900" width="600" height="900">
          <title>\(SampleBook.title)</title>
          <defs>
            <radialGradient id="glow" cx="50%" cy="42%" r="55%">
              <stop offset="0" stop-color="#ffe9b0"/>
              <stop offset="0.35" stop-color="#d99a3d"/>
              <stop offset="1" stop-color="#1d2436"/>
            </radialGradient>
          </defs>
          <rect width="600" height="900" fill="#1d2436"/>
          <rect width="600" height="700" fill="url(#glow)"/>
          <path d="M300 0 V210" stroke="#8a6a2f" stroke-width="8"/>
          <path d="M205 300 Q300 150 395 300 Z" fill="#7a2e1d"/>
          <circle cx="300" cy="306" r="26" fill="#fff6dc"/>
          <path d="M60 700 H540 V724 H60 Z M90 724 V900 H120 V724 Z M480 724 V900 H510 V724 Z" fill="#4a2f1b"/>
          <path d="M170 696 Q235 660 300 690 Q365 660 430 696 Q365 676 300 700 Q235 676 170 696 Z" fill="#fdf9f0"/>
          <text x="300" y="800" font-family="Georgia, serif" font-size="42" fill="#fdf9f0" text-anchor="middle">The Lamp at the Carrel</text>
        </svg>

        """

    /// A picture of the same in 8-bit RGB (PNG, third edition).
    static func png(width: Int, height: Int) -> Data {
        var rows = Data()
        for y in 0..<height {
            rows.append(0)
            for x in 0..<width { rows.append(contentsOf: color(Double(x) / Double(width), Double(y) / Double(height))) }
        }
        var header = Data()
        for value in [width, height] { header += bigEndian(UInt32(value)) }
        header += [8, 2, 0, 0, 0]
        return Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
            + chunk("IHDR", header) + chunk("IDAT", Deflate.packZlib(rows)) + chunk("IEND", Data())
    }

    /// The light falls off with the distance from the lamp; the desk is at the bottom.
    private static func color(_ x: Double, _ y: Double) -> [UInt8] {
        let distance = ((x - 0.5) * (x - 0.5) + (y - 0.38) * (y - 0.38) * 2.25).squareRoot()
        if y > 0.78 { return y < 0.81 || abs(abs(x - 0.5) - 0.36) < 0.03 ? [74, 47, 27] : [29, 36, 54] }
        if distance < 0.05 { return [255, 246, 220] }
        let light = max(0, 1 - distance / 0.62)
        return [(29, 255), (36, 214), (54, 130)].map { UInt8($0.0 + (($0.1 - $0.0) * light * light)) }
    }

    private static func chunk(_ name: String, _ content: Data) -> Data {
        let named = Data(name.utf8) + content
        return bigEndian(UInt32(content.count)) + named + bigEndian(Deflate.checksum(named))
    }

    private static func bigEndian(_ value: UInt32) -> Data { withUnsafeBytes(of: value.bigEndian) { Data($0) } }
}

extension SampleBook {
    /// A small picture (PNG), such as a driver sends for a cover.
    public static func coverPicture() -> Data { Cover.png(width: 90, height: 120) }
}
