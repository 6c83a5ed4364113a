/// The rungs at which a rule looked, with the rows and settings behind them.
package struct Explanation<Answer: Sendable>: Sendable {
    package let answer: Answer
    package let rungs: [ExplainedRung]
    package let appVersion: Int64
}
