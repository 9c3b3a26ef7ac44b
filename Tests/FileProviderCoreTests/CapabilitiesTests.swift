import FileProviderCore
import Testing

@Suite struct CapabilitiesTests {
    @Test(arguments: [true, false], [true, false])
    func `names are told apart as the storage does`(byCase: Bool, byForm: Bool) throws {
        let capabilities = Capabilities(readCost: .local, isCaseSensitive: byCase, isNormalizationSensitive: byForm)
        func tells(_ one: String, _ other: String) throws -> Bool {
            let reported = try capabilities.tells(ProviderPath(one), from: ProviderPath(other))
            #expect(try reported == capabilities.tells(ProviderPath(other), from: ProviderPath(one)))
            return reported
        }
        #expect(capabilities.tellsEveryName == (byCase && byForm))
        #expect(try !tells("/a", "/a"))
        #expect(try tells("/a", "/b"))
        #expect(try tells("/a", "/A") == byCase)
        #expect(try tells("/f/a", "/F/a") == byCase)
        #expect(try tells("/\u{e9}", "/e\u{301}") == byForm)
        #expect(try tells("/\u{e9}/a", "/e\u{301}/a") == byForm)
        #expect(try tells("/\u{e9}/a", "/e\u{301}/b"))
        if byCase || !byForm { #expect(try tells("/\u{c9}", "/e\u{301}") == byCase) }
    }
}
