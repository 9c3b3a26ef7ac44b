import Foundation
import Testing

@testable import SFTPEngine

/// Bytes written as in a dump: hexadecimal numbers, and text between quotes.
private func bytes(_ dump: String) -> [UInt8] {
    dump.split(separator: "'", omittingEmptySubsequences: false).enumerated().flatMap { index, part -> [UInt8] in
        if index % 2 == 1 { return Array(part.utf8) }
        return part.split(separator: " ").flatMap { word in
            stride(from: 0, to: word.count, by: 2).compactMap { UInt8(word.dropFirst($0).prefix(2), radix: 16) }
        }
    }
}

@Suite struct SFTPCodingTests {
    private static let handle = SFTPHandle(bytes: [0, 0, 0, 1])
    private static let path = Array("/a".utf8)

    // MARK: Requests

    @Test(arguments: [
        (SFTPRequest.open(path, [.write, .create, .exclusive]), "00000013 03 00000102 00000002'/a' 0000002a 00000000"),
        (
            .open(path, .read, SFTPAttributes(size: 5, permissions: 0o600)),
            "0000001f 03 00000102 00000002'/a' 00000001 00000005 0000000000000005 00000180"
        ),
        (.open(path, [.append, .truncate]), "00000013 03 00000102 00000002'/a' 00000014 00000000"),
        (.close(handle), "0000000d 04 00000102 00000004 00000001"),
        (.read(handle, at: 1 << 32, count: 32_768), "00000019 05 00000102 00000004 00000001 0000000100000000 00008000"),
        (
            .write(handle, at: 3, Array("xyz".utf8)),
            "0000001c 06 00000102 00000004 00000001 0000000000000003 00000003'xyz'"
        ),
        (.lstat(path), "0000000b 07 00000102 00000002'/a'"),
        (.fstat(handle), "0000000d 08 00000102 00000004 00000001"),
        (
            .setstat(path, SFTPAttributes(times: (access: 1, modification: 2))),
            "00000017 09 00000102 00000002'/a' 00000008 00000001 00000002"
        ),
        (
            .fsetstat(handle, SFTPAttributes(permissions: 0o755)),
            "00000015 0a 00000102 00000004 00000001 00000004 000001ed"
        ),
        (.opendir(path), "0000000b 0b 00000102 00000002'/a'"),
        (.readdir(handle), "0000000d 0c 00000102 00000004 00000001"),
        (.remove(path), "0000000b 0d 00000102 00000002'/a'"),
        (.mkdir(path), "0000000f 0e 00000102 00000002'/a' 00000000"),
        (.rmdir(path), "0000000b 0f 00000102 00000002'/a'"), (.realpath([]), "00000009 10 00000102 00000000"),
        (.stat([0xFF, 0x2F]), "0000000b 11 00000102 00000002 ff2f"),
        (.rename(path, to: [0x62]), "00000010 12 00000102 00000002'/a' 00000001'b'"),
        (.readlink(path), "0000000b 13 00000102 00000002'/a'"),
        (.symlink(path, to: [0x62], isReversed: false), "00000010 14 00000102 00000002'/a' 00000001'b'"),
        (.symlink(path, to: [0x62], isReversed: true), "00000010 14 00000102 00000001'b' 00000002'/a'"),
    ]) func `requests are as the draft has them`(request: SFTPRequest, packet: String) {
        #expect(request.packet(id: 258) == bytes(packet))
    }

    @Test(arguments: [
        (SFTPRequest.posixRename(path, to: [0x62]), "00000018'posix-rename@openssh.com' 00000002'/a' 00000001'b'"),
        (.statvfs(path), "00000013'statvfs@openssh.com' 00000002'/a'"),
        (.hardlink(path, as: [0x62]), "00000014'hardlink@openssh.com' 00000002'/a' 00000001'b'"),
        (.fsync(handle), "00000011'fsync@openssh.com' 00000004 00000001"),
        (
            .lsetstat(path, SFTPAttributes(permissions: 1)),
            "00000014'lsetstat@openssh.com' 00000002'/a' 00000004 00000001"
        ),
        (.limits, "00000012'limits@openssh.com'"),
        (.expandPath(path), "00000017'expand-path@openssh.com' 00000002'/a'"),
        (.homeDirectory(of: [0x62]), "0000000e'home-directory' 00000001'b'"),
        (
            .copyData(from: handle, at: 1, count: 2, to: SFTPHandle(bytes: [9]), at: 3),
            "00000009'copy-data' 00000004 00000001 0000000000000001 0000000000000002 00000001 09 0000000000000003"
        ),
        (
            .usersGroups(users: [1, 1_000], groups: [7]),
            "0000001e'users-groups-by-id@openssh.com' 00000008 00000001 000003e8 00000004 00000007"
        ),
    ]) func `extended requests are as OpenSSH and the draft have them`(request: SFTPRequest, rest: String) {
        let body = bytes("c8 00000102") + bytes(rest)
        #expect(request.packet(id: 258) == [0, 0, 0, UInt8(body.count)] + body)
    }

    // MARK: Replies

    /// A packet without length and number.
    private func reply(_ dump: String) throws -> SFTPReply {
        let packet = bytes(dump)
        return try packet.withUnsafeBytes { bytes in
            var decoder = SFTPDecoder(bytes)
            return try SFTPReply(type: try decoder.byte(), decoder: &decoder)
        }
    }

    @Test func `replies are read as the draft has them`() throws {
        #expect(
            try reply("65 00000002 0000000c'No such file' 00000002'en'").status
                == SFTPStatus(code: 2, message: "No such file"))
        guard case .handle(SFTPHandle(bytes: [0x61, 0])) = try reply("66 00000002'a'00") else {
            throw CancellationError()
        }
        guard case .data([0x61, 0x62]) = try reply("67 00000002'ab'") else { throw CancellationError() }
        guard case .extended([1, 2]) = try reply("c9 0102") else { throw CancellationError() }
        guard
            case .names(let names) = try reply(
                "68 00000002 00000001'a' 00000002'-r' 00000000 00000001 ff 00000000 00000004 00008180")
        else { throw CancellationError() }
        #expect(names.map(\.filename) == [[0x61], [0xFF]])
        #expect(names.map(\.longname) == [[0x2D, 0x72], []])
        #expect(names.map(\.attributes.permissions) == [nil, 0o100600])
    }

    @Test func `attributes are read whichever of them are there`() throws {
        let all =
            "69 8000000f 0000000100000002 00000003 00000004 000081a4 00000005 00000006 00000001 00000003'a@b' 00000001'c'"
        guard case .attributes(let attributes) = try reply(all) else { throw CancellationError() }
        #expect(attributes.size == 1 << 32 + 2)
        #expect(attributes.owner?.user == 3 && attributes.owner?.group == 4)
        #expect(attributes.permissions == 0o100644)
        #expect(attributes.times?.access == 5 && attributes.times?.modification == 6)
        guard case .attributes(let none) = try reply("69 00000000") else { throw CancellationError() }
        #expect(none == SFTPAttributes())
    }

    @Test func `what is cut off anywhere is no reply`() {
        for whole in [
            "66 00000004 00000001", "67 00000002'ab'", "68 00000001 00000001'a' 00000001'b' 00000004 00008180",
            "69 0000000f 0000000000000001 00000002 00000003 00000004 00000005 00000006",
        ] {
            let packet = bytes(whole)
            for count in 1..<packet.count {
                #expect(throws: SFTPProtocolError.self) {
                    try Array(packet.prefix(count)).withUnsafeBytes { bytes in
                        var decoder = SFTPDecoder(bytes)
                        _ = try SFTPReply(type: try decoder.byte(), decoder: &decoder)
                    }
                }
            }
        }
    }

    @Test func `what extensions answer is read`() throws {
        let eight = "0000000000000000"
        let limits = bytes("0000000000040000 000000000003fc00 0000000000008000 00000000000003fb")
        #expect(try SFTPLimits(reply: limits) == SFTPLimits(read: 261_120, write: 32_768, handles: 1_019))
        // What a packet holds bounds both, and what is not told is no more than that.
        let small = bytes("0000000000008800 0000000000000000 000000000003fc00 0000000000000000")
        #expect(try SFTPLimits(reply: small) == SFTPLimits(read: 33_792, write: 33_792, handles: nil))
        let tiny = bytes("0000000000000001 0000000000000001 0000000000000000 0000000000000000")
        #expect(try SFTPLimits(reply: tiny) == SFTPLimits(read: 4_096, write: 4_096, handles: nil))
        // None, too much and too little.
        #expect(
            try SFTPLimits(reply: bytes("\(eight) ffffffffffffffff 0000000000000001 \(eight)"))
                == SFTPLimits(read: 261_120, write: 4_096, handles: nil))
        #expect(throws: SFTPProtocolError.self) { try SFTPLimits(reply: bytes(eight)) }
        let numbers = [4_096, 512, 100, 50, 40, 0, 0, 0, 0, 1, 255].map {
            String("000000000000000\(String($0, radix: 16))".suffix(16))
        }
        let volume = try SFTPVolume(reply: bytes(numbers.joined(separator: " ")))
        #expect((volume.capacity, volume.free, volume.available) == (51_200, 25_600, 20_480))
        #expect(volume.isReadOnly && volume.maxNameLength == 255)
        let endless = try SFTPVolume(reply: [UInt8](repeating: 0xFF, count: 88))
        #expect(endless.capacity == .max)
        let owners = try SFTPOwners(reply: bytes("0000000c 00000004'root' 00000000 00000005 00000001'w'"))
        #expect(owners.users == ["root", ""] && owners.groups == ["w"])
        #expect(throws: SFTPProtocolError.self) { try SFTPOwners(reply: bytes("00000004 00000001 00000000")) }
    }

    // MARK: Bytes on the way

    /// Puts `bytes` in, `step` at a time.
    ///
    /// - Returns: The lengths of the packets that came out.
    private func packets(_ bytes: [UInt8], step: Int) throws -> [Int] {
        var inbox = SFTPInbox()
        var rest = bytes[...]
        var lengths: [Int] = []
        while !rest.isEmpty {
            let room = inbox.room
            let count = min(room.count, step, rest.count)
            try #require(count > 0)
            room.copyBytes(from: rest.prefix(count))
            inbox.take(count)
            rest = rest.dropFirst(count)
            while let packet = try inbox.packet() { lengths.append(packet.count) }
        }
        return lengths
    }

    private func packet(_ length: Int) -> [UInt8] {
        withUnsafeBytes(of: UInt32(length).bigEndian) { Array($0) } + [UInt8](repeating: 7, count: length)
    }

    @Test(arguments: [1, 7, 65_536, .max]) func `packets come out whole, the longest too`(step: Int) throws {
        let longest = SFTPInbox.maxPacketLength - 4
        let lengths = step == 1 ? [1, 5, 70_000, 3] : [1, longest, longest, 5, 261_129, longest, 1, longest - 1, 2]
        #expect(try packets(lengths.flatMap { packet($0) }, step: step) == lengths)
        #expect(throws: SFTPProtocolError.self) { try packets(packet(longest + 1), step: step) }
        #expect(throws: SFTPProtocolError.self) { try packets([0, 0, 0, 0], step: step) }
    }

    @Test(arguments: [1_000, 100_001, 262_143, .max]) func `what is to leave keeps its order, the longest packets too`(
        step: Int
    ) throws {
        var outbox = SFTPOutbox()
        var expected: [UInt8] = []
        var left: [UInt8] = []
        for (index, count) in [262_144, 1, 262_144, 262_143, 30, 262_144, 262_144].enumerated() {
            while !outbox.wantsMore {
                let taken = outbox.bytes.prefix(step)
                left += taken
                outbox.drop(taken.count)
            }
            let packet = [UInt8](repeating: UInt8(index), count: count)
            outbox.append(packet)
            expected += packet
        }
        left += outbox.bytes
        #expect(left == expected)
    }
}
