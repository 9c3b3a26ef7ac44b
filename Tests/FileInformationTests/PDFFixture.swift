import Foundation

/// PDF files of a few lines (ISO 32000-1).
enum PDFFixture {
    /// Pages of 200 × 100 points, each filled with one grey; the first is the darkest.
    static func document(pages: Int = 2) -> Data {
        var objects = [
            "<< /Type /Catalog /Pages 2 0 R >>",
            "<< /Type /Pages /Count \(pages) /Kids [\((0..<pages).map { "\(4 + 2 * $0) 0 R" }.joined(separator: " "))] >>",
            "<< /Title (Lamp: a book) /Author (Carrel) /CreationDate (D:20240501102030Z) >>",
        ]
        for page in 0..<pages {
            let drawing = "0.\(page * 3) g 0 0 200 100 re f"
            objects.append("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] /Contents \(5 + 2 * page) 0 R >>")
            objects.append("<< /Length \(drawing.utf8.count) >>\nstream\n\(drawing)\nendstream")
        }
        var text = "%PDF-1.4\n"
        var offsets: [Int] = []
        for (index, object) in objects.enumerated() {
            offsets.append(text.utf8.count)
            text += "\(index + 1) 0 obj\n\(object)\nendobj\n"
        }
        let table = text.utf8.count
        text += "xref\n0 \(objects.count + 1)\n0000000000 65535 f \n"
        for offset in offsets { text += String(format: "%010d 00000 n \n", offset) }
        text += "trailer\n<< /Size \(objects.count + 1) /Root 1 0 R /Info 3 0 R >>\nstartxref\n\(table)\n%%EOF\n"
        return Data(text.utf8)
    }
}
