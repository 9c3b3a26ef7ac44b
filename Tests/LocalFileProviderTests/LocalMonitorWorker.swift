import Foundation

/// Changes a tree at random, as other programs would: with system calls, and without a pause.
struct TreeWorker {
    /// The tree, and a folder beside it that things are moved out to and in from.
    let root: String
    let outside: String
    private var random: Numbers
    private var counter = 0

    /// SplitMix64.
    private struct Numbers: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var value = state
            value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
            value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
            return value ^ (value >> 31)
        }
    }

    init(root: String, outside: String, seed: UInt64) {
        self.root = root
        self.outside = outside
        random = Numbers(state: seed)
    }

    /// Runs `count` operations that succeed.
    ///
    /// - Parameter pause: Microseconds after each.
    mutating func run(_ count: Int, pause: UInt32 = 0) {
        var done = 0
        // What is random may be impossible; so many failures in a row would mean that nothing is possible any more.
        var failed = 0
        while done < count, failed < 100_000 {
            if step() {
                done += 1
                failed = 0
                if pause > 0 { usleep(pause) }
            } else {
                failed += 1
            }
        }
        if failed > 0 { exit(3) }
    }

    private mutating func number(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }

    /// Names repeat, so that most are reused again and again.
    private mutating func name() -> String { "n\(number(12))" }

    /// A folder of the tree, found by going down at random.
    private mutating func folder(in start: String) -> String {
        var path = start
        for _ in 0..<number(5) {
            let next = path + "/" + name()
            var status = stat()
            guard lstat(next, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { continue }
            path = next
        }
        return path
    }

    private mutating func entry() -> String { folder(in: root) + "/" + name() }

    private mutating func step() -> Bool {
        switch number(100) {
        case 0..<22: write(entry(), O_WRONLY | O_CREAT | O_TRUNC)
        case 22..<32: write(entry(), O_WRONLY | O_APPEND)
        case 32..<46: mkdir(entry(), 0o755) == 0
        case 46..<64: rename(entry(), entry()) == 0
        case 64..<67: swap()
        case 67..<75: unlink(entry()) == 0
        case 75..<78: rmdir(entry()) == 0
        case 78..<80: removeTree(entry())
        case 80..<84: symlink("n\(number(12))", entry()) == 0
        case 84..<87: chmod(entry(), [0o644, 0o755, 0o700][number(3)]) == 0
        case 87..<89: truncate(entry(), off_t(number(1000))) == 0
        case 89..<93: rename(entry(), folder(in: outside) + "/" + name()) == 0
        case 93..<97: rename(folder(in: outside) + "/" + name(), entry()) == 0
        case 97..<98: buildAndMove()
        case 98..<99: link(entry(), entry()) == 0
        default: publish()
        }
    }

    private mutating func write(_ path: String, _ flags: Int32) -> Bool {
        let file = open(path, flags | O_NOFOLLOW, 0o644)
        guard file >= 0 else { return false }
        defer { close(file) }
        counter += 1
        let text = Array("\(counter)\n".utf8) + Array(repeating: 120, count: number(200))
        return Foundation.write(file, text, text.count) == text.count
    }

    /// Two items change places.
    private mutating func swap() -> Bool {
        let (one, other, between) = (entry(), entry(), root + "/between")
        guard rename(one, between) == 0 else { return false }
        guard rename(other, one) == 0 else { return rename(between, one) == 0 }
        return rename(between, other) == 0 || rename(between, root + "/" + name()) == 0 || removeTree(between)
    }

    /// A tree that grows while it is moved about.
    private mutating func buildAndMove() -> Bool {
        let (first, second) = (entry(), entry())
        guard mkdir(first, 0o755) == 0 else { return false }
        mkdir(first + "/a", 0o755)
        guard write(first + "/a/f", O_WRONLY | O_CREAT) else { return false }
        if rename(first, second) == 0 {
            mkdir(second + "/a/b", 0o755)
            rename(second + "/a/b", second + "/c")
            return write(second + "/c/g", O_WRONLY | O_CREAT)
        }
        return true
    }

    /// As this library writes: under a temporary name, then into place.
    private mutating func publish() -> Bool {
        let folder = folder(in: root)
        let temporary = folder + "/.\(counter).carrel-part"
        return write(temporary, O_WRONLY | O_CREAT)
            && (rename(temporary, folder + "/" + name()) == 0 || unlink(temporary) == 0)
    }

    private func removeTree(_ path: String) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return false }
        return (try? FileManager.default.removeItem(atPath: path)) != nil
    }
}
