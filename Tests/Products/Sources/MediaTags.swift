// Also depends on the product MemoryFileProvider.
import Foundation
import MediaTags
import MemoryFileProvider

// Reads the title in a sound file's ID3 tag.
let frame = Data("TIT2".utf8) + Data([0, 0, 0, 6, 0, 0, 0]) + Data("Night".utf8)
let tag = Data("ID3".utf8) + Data([3, 0, 0, 0, 0, 0, UInt8(frame.count)]) + frame
let provider = MemoryFileProvider()
try await provider.writeContents(path: ProviderPath("night.mp3"), contents: tag + Data(count: 4_096))
let reader = try await provider.open(path: ProviderPath("night.mp3"))
print(try await MediaDescription.read(reader).tags["TITLE"] ?? [])
