//! Quote matching with graded answers.
