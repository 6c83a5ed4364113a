extension ReviewRecord {
    /// The new value of the field.
    package var value: ReviewedValue {
        get { ReviewedValue(text: text, data: data) }
        set { (text, data) = (newValue.text, newValue.data) }
    }

    /// The value that was approved before, of a field that is shown.
    package var formerValue: ReviewedValue {
        get { ReviewedValue(text: formerText, data: formerData) }
        set { (formerText, formerData) = (newValue.text, newValue.data) }
    }
}
