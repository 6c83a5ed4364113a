import Testing

/// Where code stands, held against every Swift file of the package.
@Suite struct LayoutTests {
    @Test func everyFolderCanBeSurveyed() throws {
        let findings = LayoutRules.crowdedFolders(among: try SourceTree.everything.get())
        #expect(findings.isEmpty, "\(findings.joined(separator: "\n"))")
    }

    @Test func noCycleOfTypesCrossesTheFoldersOfARoom() throws {
        let findings = LayoutRules.cycles(in: try SourceTree.sources.get())
        #expect(findings.isEmpty, "\(findings.joined(separator: "\n"))")
    }

    @Test func filesAreNamedAfterTheTypeInThem() throws {
        let findings = try SourceTree.everything.get().flatMap(LayoutRules.misnamedFiles)
        #expect(findings.isEmpty, "\(findings.text)")
    }

    @Test func aTypeThatManyFilesNameHasAFileOfItsOwn() throws {
        let findings = LayoutRules.typesWithoutAFile(in: try SourceTree.sources.get())
        #expect(findings.isEmpty, "\(findings.joined(separator: "\n"))")
    }

    @Test func aNameIsThatOfOneType() throws {
        let found = LayoutRules.namesOfSeveralTypes(in: try SourceTree.sources.get())
        let text = found.map { "\($0.key): \($0.value)" }.sorted().joined(separator: "\n")
        #expect(Set(found.keys) == Set(LayoutRules.sharedNames.keys), "\(text)")
        #expect(found.count <= 5)
    }

    // MARK: The rules themselves

    private static func file(_ path: String, _ text: String) -> SourceFile {
        SourceFile(path: "Sources/Room/\(path).swift", text: text)
    }

    @Test(arguments: [
        ("struct A { var b: B? }", "struct B { var a: A? }", true),
        ("struct A { var b: B? }", "struct B {}", false),
        ("struct A { var b: B? }", "struct B {}\nextension A { func f() -> B { B() } }", false),
        ("struct A {}\nlet b: B = 1", "enum B { case a(A) }", false),
        ("protocol A { func f(_ x: [C]) }", "struct B: A {}\ntypealias C = B", true),
    ])
    func aCycleAcrossFoldersIsFound(one: String, other: String, isCycle: Bool) {
        let apart = [Self.file("One/A", one), Self.file("Other/B", other)]
        #expect(LayoutRules.cycles(in: apart).isEmpty != isCycle)
        let together = [Self.file("One/A", one), Self.file("One/B", other)]
        #expect(LayoutRules.cycles(in: together).isEmpty)
    }

    @Test(arguments: [
        ("struct A {}", "enum A {}", true), ("struct A {}", "private enum A {}", false),
        ("struct A {}", "extension B { struct A {} }", false),
        ("struct A {}", "struct B { enum A {} }", false),
        ("struct A {}", "package typealias A = Other.A", false),
        ("struct A {}", "typealias A = B", true), ("struct A {}", "extension A {}", false),
    ])
    func aSharedNameIsFound(one: String, other: String, isShared: Bool) {
        let files = [Self.file("One", one), Self.file("Other", other)]
        #expect(LayoutRules.namesOfSeveralTypes(in: files).isEmpty != isShared)
    }

    @Test func aCrowdedFolderIsFound() {
        let files = (0..<31).map { Self.file("Folder/F\($0)", "") }
        #expect(LayoutRules.crowdedFolders(among: files).count == 1)
        #expect(LayoutRules.crowdedFolders(among: Array(files.dropFirst())).isEmpty)
    }

    @Test(arguments: [
        ("A", "struct A {}", true), ("A", "private struct B {}\nfinal class A {}", true),
        ("A", "struct B {}", false), ("A+Topic", "extension A {}", true),
        ("A+Topic", "extension B {}", false), ("A+Topic", "extension B.A {}", true),
        ("AMessages", "struct B {}", true), ("main", "struct B {}", true),
        ("A", "func f() {}", true), ("A", "extension A {}", true),
    ])
    func aMisnamedFileIsFound(name: String, text: String, isRight: Bool) {
        #expect(LayoutRules.misnamedFiles(in: Self.file(name, text)).isEmpty == isRight)
    }

    @Test func aMuchNamedTypeInAFileOfAnotherNameIsFound() {
        let users = (0..<16).map { Self.file("U\($0)", "let value\($0): B = 1") }
        func findings(_ users: [SourceFile], in name: String) -> [String] {
            LayoutRules.typesWithoutAFile(in: users + [Self.file(name, "struct A {}\nstruct B {}")])
        }
        #expect(findings(users, in: "A").count == 1)
        #expect(findings(users, in: "B").isEmpty)
        #expect(findings(Array(users.dropFirst()), in: "A").isEmpty)
    }
}
