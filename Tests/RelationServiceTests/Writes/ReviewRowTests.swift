import RelationAPI
import RelationCore
import RelationModel
import Testing

@testable import RelationService

/// The reviews in a profile and in a friend's row of an export, as an import reads them.
@Suite struct ReviewRowTests {
    private func review(
        _ field: String, _ edit: (inout ProfileReview) -> Void = { _ in }
    ) -> ProfileReview {
        var review = ProfileReview()
        (review.reviewID, review.field, review.state, review.text) = ("7", field, .held, "text")
        edit(&review)
        return review
    }

    private func read(_ rows: [ProfileReview]) throws(AppRowError) -> [ReviewRecord] {
        var record = ProfileRecord()
        try record.apply(rows)
        return record.reviews
    }

    /// The field of the error, or nil if the rows are taken.
    private func failure(_ rows: [ProfileReview]) -> String? {
        do throws(AppRowError) {
            _ = try read(rows)
            return nil
        } catch {
            return error.field
        }
    }

    @Test func aReviewComesBackAsItWas() throws {
        let held = review("nick")
        let shown = review("custom.Motto") {
            ($0.reviewID, $0.state, $0.formerText, $0.writeTimeMs) = ("8", .shown, "before", 5)
        }
        let records = try read([held, shown])
        #expect(records.map { ProfileReview($0) } == [held, shown])
    }

    @Test func aHeldValueHasNoValueBefore() throws {
        let records = try read([review("nick") { $0.formerText = "before" }])
        #expect(records.first?.formerValue.isEmpty == true)
    }

    @Test func aMalformedReviewIsRefused() {
        let long = String(repeating: "x", count: Limits.reviewedValueBytes)
        let path = "custom." + String(repeating: "k", count: SettingBounds.fieldPathBytes - 7)
        #expect(failure([review("nick") { $0.text = long }]) == nil)
        #expect(failure([review("nick") { $0.text = long + "x" }]) == "reviews.text")
        #expect(failure([review("nick") { $0.text = "" }]) == "reviews.text")
        #expect(failure([review(path)]) == nil)
        #expect(failure([review(path + "k")]) == "reviews.field")
        #expect(failure([review("level")]) == "reviews.field")
        #expect(failure([review("link"), review("nick")]) == "reviews.field")
        #expect(failure([review("nick"), review("nick")]) == "reviews.field")
        #expect(failure([review("nick") { $0.state = .unspecified }]) == "reviews.state")
        #expect(failure([review("nick") { $0.reviewID = "01" }]) == "reviews.review_id")
        #expect(failure([review("nick") { $0.writeTimeMs = -1 }]) == "reviews.write_time_ms")
    }

    @Test func aProfileHasSoManyReviewsAndNoMore() {
        let rows = (0...Limits.reviewsOfProfile).map { review("custom.k\(1_000 + $0)") }
        #expect(failure(Array(rows.dropLast())) == nil)
        #expect(failure(rows) == "reviews.field")
    }

    @Test func theReviewsOfAFriendsRowAreItsTextsInTheirOrder() throws {
        let remark = review("remark") { $0.state = .shown }
        let custom = review("custom.Met") { ($0.reviewID, $0.state) = ("8", .shown) }
        func failure(_ rows: [ProfileReview]) -> String? {
            do throws(AppRowError) {
                _ = try FriendRecord.reviews(rows)
                return nil
            } catch {
                return error.field
            }
        }
        let wording = review("wording") { ($0.reviewID, $0.state) = ("9", .shown) }
        let records = try FriendRecord.reviews([remark, wording, custom])
        #expect(records.map { ProfileReview($0) } == [remark, wording, custom])
        #expect(failure([custom, remark]) == "reviews.field")
        #expect(failure([wording, remark]) == "reviews.field")
        #expect(failure([custom, wording]) == "reviews.field")
        #expect(failure([review("nick") { $0.state = .shown }]) == "reviews.field")
        #expect(failure([review("custom.") { $0.state = .shown }]) == "reviews.field")
        #expect(failure([review("remark")]) == "reviews.state")
        // The remark, and as many custom fields as an app may have, in the order of their keys.
        let keys = (0..<Limits.reviewsOfFriend).map { "custom.\(100 + $0)" }
        let all = [remark] + keys.map { key in review(key) { $0.state = .shown } }
        #expect(failure(Array(all.dropLast())) == nil)
        #expect(failure(all) == "reviews.field")
    }
}
