import Foundation
import ReaderMessages

/// First line: the name of a message's file. Then its bytes.
func fuzzReaderMessages(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    var input = FuzzInput(data, size: size)
    let name = input.line()
    let bytes = Data(input.bytes)
    var strict = MessageCoding()
    strict.readsLegacyForms = false
    switch name {
    case ConnectedMessage.fileName:
        checkMessage(bytes, strict: strict, read: { try $0.connected(in: $1) }, write: { $0.data(for: $1) })
    case CommandStatus.fileName:
        checkMessage(bytes, strict: strict, read: { try $0.status(in: $1) }, write: { $0.data(for: $1) })
    default:
        checkMessage(
            bytes, strict: strict, read: { try $0.command(named: name, in: $1).command },
            write: { try $0.data(for: $1) })
        if let command = try? MessageCoding().command(named: name, in: bytes).command { checkCovers(of: command) }
    }
    return 0
}

private func checkMessage<Message: Equatable>(
    _ bytes: Data, strict: MessageCoding, read: (MessageCoding, Data) throws -> Message,
    write: (MessageCoding, Message) throws -> Data
) {
    let tolerant = MessageCoding()
    guard let message = try? read(tolerant, bytes) else {
        precondition((try? read(strict, bytes)) == nil, "The strict reader takes more than the tolerant one.")
        return
    }
    if let same = try? read(strict, bytes) { precondition(same == message, "The strict reader reads something else.") }
    guard let written = try? write(tolerant, message) else { preconditionFailure("What was read cannot be written.") }
    precondition((try? read(strict, written)) == message, "What was written is read as something else.")
    for count in [written.count - 1, written.count / 2, bytes.count % written.count] {
        do {
            _ = try read(tolerant, written.prefix(count))
            preconditionFailure("Half a message was read.")
        } catch {
            precondition((error as? MessageFailure)?.kind == .incomplete, "Half a message is not incomplete.")
        }
    }
}

private func checkCovers(of command: ReaderCommand) {
    guard case .updateMetadata(let update) = command else { return }
    for cover in update.books.compactMap(\.cover) {
        guard let picture = try? cover.decoded(limit: 1000) else { continue }
        precondition((1...1000).contains(picture.count), "A cover is over the limit.")
        precondition(
            (try? EncodedCover(picture: picture).decoded(limit: 1000)) == picture,
            "A cover is decoded as something else.")
    }
}
