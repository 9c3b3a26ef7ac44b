import Foundation
import HTTPFileProvider
import Testing

@Suite struct HTTPDateTests {
    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        "Sun, 6 Nov 1994 09:49:37 +0100",
        "784111777", "1994-11-06T08:49:37Z", "1994-11-06T10:49:37+02:00",
    ])
    func `a moment is read in every form that servers write`(_ text: String) {
        #expect(HTTPDate.parse(text) == Date(timeIntervalSince1970: 784_111_777))
    }

    @Test(arguments: ["", "yesterday", "Sun, 06 Nov 1994", "99 Nov 1994 08:49:37 GMT", "12:99:00"])
    func `what is no moment is none`(_ text: String) {
        #expect(HTTPDate.parse(text) == nil)
    }
}
