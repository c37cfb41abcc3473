//! `#[ioglass_region::function]`: a function as a region.
//!
//! A function is changed in one place only: its body gets a first statement. So it need not be
//! understood, and this crate needs no parser.

use proc_macro::{Delimiter, Group, TokenStream, TokenTree};

/// Makes a function a region, named after it or as the argument says. An `async fn` is a span.
#[proc_macro_attribute]
pub fn function(argument: TokenStream, item: TokenStream) -> TokenStream {
    match changed(argument, item.clone()) {
        Ok(changed) => changed,
        Err(reason) => {
            let mut error = parsed(&format!("::core::compile_error!({reason:?});"));
            error.extend(item);
            error
        }
    }
}

/// The function with its first statement.
fn changed(argument: TokenStream, item: TokenStream) -> Result<TokenStream, &'static str> {
    let mut tokens: Vec<TokenTree> = item.into_iter().collect();
    let at = tokens.iter().position(|it| is_word(it, "fn"));
    let at = at.ok_or("this attribute is for functions")?;
    let (before, after) = tokens.split_at(at);
    if before.iter().any(|it| is_word(it, "const")) {
        return Err("a const fn cannot be a region");
    }
    let is_async = before.iter().any(|it| is_word(it, "async"));
    let name = match after.get(1) {
        Some(TokenTree::Ident(name)) => name.to_string(),
        _ => return Err("this attribute is for functions with a name"),
    };
    let name = match name_of(argument)? {
        Some(literal) => literal,
        None => format!("{:?}", name.trim_start_matches("r#")),
    };
    let body = match tokens.pop() {
        Some(TokenTree::Group(body)) if body.delimiter() == Delimiter::Brace => body,
        _ => return Err("a function without a body cannot be a region"),
    };
    let call = if is_async { "span" } else { "region" };
    let guard = parsed(&format!("let __ioglass_guard = ::ioglass_region::{call}!({name});"));
    let mut group = Group::new(Delimiter::Brace, with_first(body.stream(), guard));
    group.set_span(body.span());
    tokens.push(TokenTree::Group(group));
    Ok(tokens.into_iter().collect())
}

/// The name that the attribute gives, as source.
fn name_of(argument: TokenStream) -> Result<Option<String>, &'static str> {
    let mut tokens = argument.into_iter();
    match (tokens.next(), tokens.next()) {
        (None, _) => Ok(None),
        (Some(TokenTree::Literal(name)), None) => Ok(Some(name.to_string())),
        _ => Err("the name of a region is one string"),
    }
}

/// A body with a statement before its own, behind attributes of the form `#![…]`.
fn with_first(body: TokenStream, statement: TokenStream) -> TokenStream {
    let tokens: Vec<TokenTree> = body.into_iter().collect();
    let is_mark = |at: usize, mark: char| matches!(tokens.get(at), Some(TokenTree::Punct(it)) if it.as_char() == mark);
    let mut attributes = 0;
    while is_mark(attributes, '#') && is_mark(attributes + 1, '!') {
        attributes += 3;
    }
    let mut tokens = tokens.into_iter();
    let mut changed: TokenStream = tokens.by_ref().take(attributes).collect();
    changed.extend(statement);
    changed.extend(tokens);
    changed
}

fn is_word(token: &TokenTree, word: &str) -> bool {
    matches!(token, TokenTree::Ident(it) if it.to_string() == word)
}

fn parsed(source: &str) -> TokenStream {
    source.parse().expect("it is Rust")
}
