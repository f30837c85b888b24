//! Visible text of documents (text, Markdown, HTML, mail, docx, PDF).
