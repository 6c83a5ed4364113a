/// Text as a string of JSON, for objects that are put together by hand.
package enum JSONQuote {
    /// The text in its quotes, on one line.
    ///
    /// Every character that ends a line for some reader, or that a terminal does not show, is
    /// escaped.
    package static func text(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            case let scalar where isHidden(scalar): quoted += escaped(scalar)
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }

    /// The text without quotes, and with its hidden characters escaped as in JSON.
    ///
    /// Joiners stay where they stand between letters or pictures that are not ASCII: some languages
    /// are written with them, and a picture may be made of several.
    package static func plain(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 < 0x20 || $0 > 0x7E }) else { return text }
        var plain = ""
        var last: Unicode.Scalar = " "
        let scalars = text.unicodeScalars
        for index in scalars.indices {
            let scalar = scalars[index]
            let isJoining =
                isJoiner(scalar) && !last.isASCII
                && scalars[scalars.index(after: index)...].first.map { !$0.isASCII } ?? false
            if isHidden(scalar), !isJoining {
                plain += escaped(scalar)
            } else {
                plain.unicodeScalars.append(scalar)
            }
            last = scalar
        }
        return plain
    }

    /// A text of JSON, with the characters in its strings escaped that ``text(_:)`` escapes.
    package static func shown(_ json: String) -> String {
        // Characters below the blank stand between the strings only.
        guard json.utf8.contains(where: { $0 > 0x7E }) else { return json }
        var shown = ""
        for scalar in json.unicodeScalars {
            if scalar.value > 0x7E, isHidden(scalar) {
                shown += escaped(scalar)
            } else {
                shown.unicodeScalars.append(scalar)
            }
        }
        return shown
    }

    /// Whether it ends a line for some reader, or is none that a terminal shows: it may move the
    /// cursor, turn the direction of what follows, or take no place.
    package static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value > 0x7E else { return scalar.value < 0x20 }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: return true
        // Letters that are drawn as nothing, but for the marks that choose the form of a picture.
        case .nonspacingMark: return false
        default: return scalar.properties.isDefaultIgnorableCodePoint
        }
    }

    private static func isJoiner(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "\u{200C}" || scalar == "\u{200D}"
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": return "\\n"
        case "\t": return "\\t"
        case "\r": return "\\r"
        default:
            return String(scalar).utf16.map { unit in
                let digits = String(unit, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }.joined()
        }
    }
}
