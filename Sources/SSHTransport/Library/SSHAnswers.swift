import CSSH2
import FileProviderCore
import Foundation

/// Signs for libssh2 with a key that it does not have. Source: libssh2_userauth_publickey(3).
final class SSHSigner {
    private let body: ([UInt8]) throws -> [UInt8]?
    private(set) var failure: (any Error)?

    init(_ body: @escaping ([UInt8]) throws -> [UInt8]?) { self.body = body }

    static let sign:
        @convention(c) (
            OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?, UnsafeMutablePointer<Int>?,
            UnsafePointer<UInt8>?, Int,
            UnsafeMutablePointer<UnsafeMutableRawPointer?>?
        ) -> Int32 = { session, signature, length, data, count, context in
            guard let session, let wire = SSHWire.of(libssh2_session_abstract(session)), let context = context?.pointee
            else { return -1 }
            let signing = Unmanaged<SSHSigner>.fromOpaque(context).takeUnretainedValue()
            guard let signed = wire.away({ signing.sign(Array(UnsafeBufferPointer(start: data, count: count))) }),
                let block = wire.allocate(signed.count)
            else { return -1 }
            block.copyMemory(from: signed, byteCount: signed.count)
            signature?.pointee = block.assumingMemoryBound(to: UInt8.self)
            length?.pointee = signed.count
            return 0
        }

    private func sign(_ data: [UInt8]) -> [UInt8]? {
        do { return try body(data) } catch {
            failure = error
            return nil
        }
    }
}

/// Answers what a server asks in a login by keyboard-interactive. Source: libssh2_userauth_keyboard_interactive_ex(3).
final class SSHAnswers {
    private let host: String
    private let password: SSHSecret?
    private let answer: (@Sendable (LoginQuestion) throws -> String)?
    private var rounds = 0
    private var isPasswordUsed = false
    private(set) var failure: (any Error)?
    var isEndless: Bool { rounds > Self.maxRounds }
    /// The question that could not be answered.
    private(set) var unanswered: String?

    private static let maxRounds = 8
    private static let maxPromptLength = 500

    init(host: String, password: SSHSecret?, answer: (@Sendable (LoginQuestion) throws -> String)?) {
        self.host = host
        self.password = password
        self.answer = answer
    }

    static let answer:
        @convention(c) (
            UnsafePointer<CChar>?, Int32, UnsafePointer<CChar>?, Int32, Int32,
            UnsafePointer<LIBSSH2_USERAUTH_KBDINT_PROMPT>?,
            UnsafeMutablePointer<LIBSSH2_USERAUTH_KBDINT_RESPONSE>?, UnsafeMutablePointer<UnsafeMutableRawPointer?>?
        ) -> Void = { _, _, instruction, length, count, prompts, responses, context in
            guard let wire = SSHWire.of(context), let answers = wire.answers else { return }
            let instruction = text(instruction, Int(length))
            for index in 0..<Int(count) {
                guard let prompt = prompts?[index] else { continue }
                let words = text(prompt.text, Int(prompt.length))
                let reply = Array(wire.away { answers.reply(words, instruction, echoes: prompt.echo != 0) }.utf8)
                guard let block = wire.allocate(max(1, reply.count)) else { continue }
                block.copyMemory(from: reply, byteCount: reply.count)
                responses?[index].text = block.assumingMemoryBound(to: CChar.self)
                responses?[index].length = UInt32(reply.count)
            }
            answers.endRound(on: wire)
        }

    private static func text(_ bytes: UnsafePointer<CChar>?, _ count: Int) -> String {
        SSHText.line(UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : min(count, maxPromptLength)))
    }

    private func reply(_ prompt: String, _ instruction: String, echoes: Bool) -> String {
        if failure != nil { return "" }
        // With a closure, the password answers only a prompt that mentions it; others may ask for a code.
        if !echoes, let password, !isPasswordUsed, answer == nil || prompt.localizedCaseInsensitiveContains("password")
        {
            isPasswordUsed = true
            return password.text
        }
        guard let answer else {
            unanswered = prompt
            return ""
        }
        do {
            return try answer(LoginQuestion(host: host, prompt: prompt, instruction: instruction, echoes: echoes))
        } catch {
            failure = error
            return ""
        }
    }

    /// A server may ask without end.
    private func endRound(on wire: SSHWire) {
        rounds += 1
        // A question without an answer is not asked again.
        if isEndless || failure != nil || unanswered != nil && answer == nil && isPasswordUsed { wire.shut() }
    }
}
